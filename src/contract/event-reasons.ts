/**
 * Why events are refused or parked. The lists are closed: each reason is a label in the ledger, the metrics and the
 * docs.
 */

/** An event that is not valid. Decided by ingest/check-event.ts and ingest/read-body.ts. */
const INVALID_REASONS = ["bad_json", "not_an_object", "invalid_fields", "too_large", "too_deep"] as const;
export type InvalidReason = (typeof INVALID_REASONS)[number];

/** A body from which no event is accepted. Decided by ingest/read-body.ts. */
const BODY_REASONS = ["empty", "bad_utf8", "bad_json", "too_deep", "too_many", "no_events"] as const;
export type BodyReason = (typeof BODY_REASONS)[number];

/** A request that is refused before its body is read. Decided by http/events/. */
const REQUEST_REASONS = [
  "bad_query",
  "bad_idempotency_key",
  "bad_content_type",
  "bad_packing",
  "body_too_large",
] as const;
export type RequestReason = (typeof REQUEST_REASONS)[number];

/** An accepted event that the enrichment cannot turn into a row. Decided by the steps in enrich/steps/. */
export const ENRICH_REASONS = ["bad_json", "too_deep", "bad_time", "no_message_id", "enrich_failed"] as const;
export type EnrichReason = (typeof ENRICH_REASONS)[number];

/** Why the events server refuses events. */
export const REFUSED_REASONS = [...REQUEST_REASONS, ...BODY_REASONS, ...INVALID_REASONS] as const;
export type RefusedReason = (typeof REFUSED_REASONS)[number];

/** Why an event is parked. warehouse/transform.ts decides `unreadable_record`, the engines `warehouse_refused`. */
export const PARKED_REASONS = [
  ...INVALID_REASONS,
  "unreadable_record",
  ...ENRICH_REASONS,
  "warehouse_refused",
] as const;
export type ParkedReason = (typeof PARKED_REASONS)[number];
