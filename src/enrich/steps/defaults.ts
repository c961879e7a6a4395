import { keepNumbersOf } from "../../lib/json-numbers.ts";
import type { Draft } from "../draft.ts";

/**
 * Fills in the message id and the times that the client left out. The values come from the request and are not random,
 * so an event becomes the same row each time it is read.
 *
 * Times default to the time of receipt, so an event without `sent_at` keeps its own time. An event with only `sent_at`
 * happened at `sent_at`: its age is 0. Otherwise the offset of a wrong client clock would count as its age.
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
