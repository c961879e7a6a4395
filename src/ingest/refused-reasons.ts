import { INVALID_REASONS } from "./check-event.ts";
import { BODY_REASONS } from "./read-body.ts";

/** Why a request is refused whose body is not even looked at. */
export const REQUEST_REASONS = [
  "bad_query",
  "bad_idempotency_key",
  "bad_content_type",
  "bad_packing",
  "body_too_large",
] as const;

/** Why events are refused, wherever at the door that was found out. Closed: each is a label in the ledger and in the metrics. */
export const REFUSED_REASONS = [...REQUEST_REASONS, ...BODY_REASONS, ...INVALID_REASONS] as const;

export type RefusedReason = (typeof REFUSED_REASONS)[number];
