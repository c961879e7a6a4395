import type { ContextFields, PropertyFields } from "./fields.ts";
import type { Park } from "./outcome.ts";
import type { Origin, ReceivedEvent } from "./received-event.ts";
import { blankRow, type EventRow } from "./row.ts";
import type { Fields } from "./text.ts";
import { NO_URL, type UrlParts } from "./url.ts";

/** The state that the steps share: the received event, the fields parsed so far, and the row under construction. */
export interface Draft {
  readonly origin: Origin;
  readonly spareId: string;
  readonly received: ReceivedEvent;
  /** After the first step it has a message id and both times. */
  raw: Fields;
  /** The client sent no event time, but an id that it repeats in a retry. */
  undated: boolean;
  readonly row: EventRow;
  context: ContextFields;
  properties: PropertyFields;
  page: UrlParts;
}

/** A step fills its own columns and reads those of earlier steps. It parks the event or returns nothing. */
export type Step = (draft: Draft) => Park | undefined;

export function startDraft(received: ReceivedEvent): Draft {
  const { origin, spareId, raw } = received;
  const row = blankRow(origin);
  return { origin, spareId, received, raw, undated: false, row, context: {}, properties: {}, page: NO_URL };
}
