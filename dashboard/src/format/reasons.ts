/** What to do about an event that was parked or refused. src/contract/event-reasons.ts lists the reasons. */
export const REASONS: Readonly<Record<string, string>> = {
  bad_json: "The body is not valid JSON. Send it as the SDK does, or check the quoting of a script.",
  not_an_object: "An event must be a JSON object.",
  invalid_fields:
    "A required field is missing or has a wrong type: type, channel, version and anonymous_id are needed.",
  too_large: "The event is too large. Send less in properties or context.",
  too_deep: "The event is nested too deeply.",
  empty: "The request had no body.",
  bad_utf8: "The body is not UTF-8 text.",
  too_many: "Too many events in one request. Split them.",
  no_events: "The list of events was empty.",
  bad_query: "The address has wrong parameters. Use /v0/raw_events.",
  bad_idempotency_key: "The Idempotency-Key is empty or too long, or was used for another request.",
  bad_content_type: "Send Content-Type: application/json.",
  bad_packing: "The compressed body cannot be unpacked.",
  body_too_large: "The request is too large. Split it.",
  unreadable_record: "The stored record cannot be read. See `sextant doctor`.",
  bad_time: "A time of the event is not a valid date.",
  no_message_id: "The event has no message id and none could be made.",
  enrich_failed:
    "The event could not be turned into a row. The service's log has the cause; replay it after an upgrade.",
  warehouse_refused: "The analytics engine refused the row. The service's log has the cause.",
};

/** What is wrong with a parked event: `details` is the JSON of a text, or of field -> failure. */
export function parkedText(details: string): string {
  try {
    const read: unknown = JSON.parse(details);
    if (typeof read === "string") return read;
    if (typeof read !== "object" || read === null) return "";
    return Object.entries(read)
      .map(([field, failure]) => `${field} ${String(failure)}`.trim())
      .join("; ");
  } catch {
    return details;
  }
}
