import type { Park } from "./outcome.ts";
import type { AcceptedEvent } from "./record.ts";
import { blankRow, type EventRow } from "./row.ts";
import type { Fields } from "./text.ts";
import { NO_URL, type UrlParts } from "./url.ts";

/** What the steps work on: the event as received, what has been read out of it so far, and the row under construction. */
export interface Draft {
  readonly record: AcceptedEvent;
  readonly raw: Fields;
  readonly row: EventRow;
  context: Fields;
  properties: Fields;
  page: UrlParts;
}

/** A step fills columns of its own and reads those of earlier steps. It parks the event or says nothing. */
export type Step = (draft: Draft) => Park | undefined;

export function startDraft(record: AcceptedEvent): Draft {
  return { record, raw: record.raw, row: blankRow(record), context: {}, properties: {}, page: NO_URL };
}
