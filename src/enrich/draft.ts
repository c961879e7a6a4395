import type { Park } from "./outcome.ts";
import type { Origin, ReceivedEvent } from "./received-event.ts";
import { blankRow, type EventRow } from "./row.ts";
import type { Fields } from "./text.ts";
import { NO_URL, type UrlParts } from "./url.ts";

/** What the steps work on: the event as received, what has been read out of it so far, and the row under construction. */
export interface Draft {
  readonly origin: Origin;
  readonly spareId: string;
  /** From the first step on with a message id and both times. */
  raw: Fields;
  /** The client gave no time of the event, but an id that it will use again if it sends the event again. */
  undated: boolean;
  readonly row: EventRow;
  context: Fields;
  properties: Fields;
  page: UrlParts;
}

/** A step fills columns of its own and reads those of earlier steps. It parks the event or says nothing. */
export type Step = (draft: Draft) => Park | undefined;

export function startDraft({ origin, spareId, raw }: ReceivedEvent): Draft {
  const row = blankRow(origin);
  return { origin, spareId, raw, undated: false, row, context: {}, properties: {}, page: NO_URL };
}
