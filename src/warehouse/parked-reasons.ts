import { PARK_REASONS } from "../enrich/outcome.ts";
import { INVALID_REASONS } from "../ingest/check-event.ts";

/** Why an event is parked, wherever on its way that was found out. */
export const PARKED_REASONS = [...INVALID_REASONS, "unreadable_record", ...PARK_REASONS, "warehouse_refused"] as const;

export type ParkedReason = (typeof PARKED_REASONS)[number];
