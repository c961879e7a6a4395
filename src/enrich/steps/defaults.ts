import { keepNumbersOf } from "../../lib/json-numbers.ts";
import type { Draft } from "../draft.ts";

/**
 * What the client left out: its message id and its times. Repeatable: they come from the request and not from chance, so the
 * same event becomes the same row however often it is read.
 *
 * Times default to the time of receipt, so an event without `sent_at` keeps its own time. One with nothing but `sent_at` is as
 * old as its way here: the distance to a clock that may be wrong would otherwise count as its age.
 */
export function putDefaults(draft: Draft): undefined {
  const { origin, spareId, raw } = draft;
  draft.undated = !raw.original_timestamp && (origin.repeatable === true || Boolean(raw.message_id));
  if (raw.message_id && raw.original_timestamp && raw.sent_at) return;
  const receivedAt = new Date(origin.receivedAtMs).toISOString();
  draft.raw = {
    ...raw,
    message_id: raw.message_id || spareId,
    sent_at: raw.sent_at ?? receivedAt,
    original_timestamp: raw.original_timestamp ?? raw.sent_at ?? receivedAt,
  };
  keepNumbersOf(raw, draft.raw);
}
