import type { EventRow } from "./row.ts";

/** Why an event is set aside instead of stored. Closed: each reason is a label in the ledger and in the metrics. */
export const PARK_REASONS = ["bad_json", "too_deep", "bad_time", "no_message_id", "enrich_failed"] as const;

export type ParkReason = (typeof PARK_REASONS)[number];

export interface Park {
  readonly kind: "park";
  readonly why: ParkReason;
  readonly cause: unknown;
}

interface Keep {
  readonly kind: "keep";
  readonly row: EventRow;
}

export type Outcome = Keep | Park;

export function park(why: ParkReason, cause: unknown): Park {
  return { kind: "park", why, cause };
}
