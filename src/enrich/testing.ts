import { type Draft, startDraft } from "./draft.ts";
import type { Origin, ReceivedEvent } from "./received-event.ts";
import type { EventRow } from "./row.ts";
import type { Fields } from "./text.ts";

export const RECEIVED_AT = "2026-03-10T12:00:00.000Z";

/** A complete event in the form of the contract, for the tests of this folder. */
export function sampleEvent(raw: Fields = {}, origin: Partial<Origin> = {}): ReceivedEvent {
  return {
    origin: { projectId: "project", receivedAtMs: Date.parse(RECEIVED_AT), ...origin },
    spareId: "spare-1",
    raw: {
      channel: "web",
      type: "page",
      anonymous_id: "visitor-1",
      user_id: "",
      address: "",
      event: "",
      context: "{}",
      properties: "{}",
      version: "0",
      original_timestamp: "2026-03-10T11:59:58.000Z",
      sent_at: "2026-03-10T11:59:59.000Z",
      message_id: "message-1",
      ...raw,
    },
  };
}

export interface DraftParts {
  readonly raw?: Fields;
  readonly origin?: Partial<Origin>;
  readonly context?: Fields;
  readonly properties?: Fields;
  readonly row?: Partial<EventRow>;
}

/** A draft as a single step receives it: bodies parsed, and the columns of earlier steps given by the test. */
export function sampleDraft({ raw, origin, context, properties, row }: DraftParts = {}): Draft {
  const draft = startDraft(sampleEvent(raw, origin));
  draft.context = context ?? {};
  draft.properties = properties ?? {};
  Object.assign(draft.row, { channel: "web", type: "page", ...row });
  return draft;
}
