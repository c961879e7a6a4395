/** An event of another product, as the mappers of `from/` make it, and the form in which it is sent. */
import { createHash } from "node:crypto";
import type { EventKind } from "../contract/event-kinds.ts";
import { LIMITS } from "../contract/limits.ts";
import { findProblem } from "../ingest/check-event.ts";
import { isDeeper } from "../lib/json.ts";
import { stringifyKeepingNumbers } from "../lib/json-numbers.ts";
import { DAY_MS } from "../lib/time.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A row of a file as a JSON object; CSV gives texts only. */
export type NativeRow = Fields;

export interface ImportedEvent {
  /** What the product itself knows the event by. Without one, the row itself and its occurrence are the key. */
  readonly key?: string | undefined;
  /** Sent as it is: the id that the event has had in this product before. */
  readonly messageId?: string | undefined;
  readonly atMs: number;
  readonly type: EventKind | (string & {});
  readonly event?: string | undefined;
  readonly anonymousId?: string | undefined;
  readonly userId?: string | undefined;
  readonly address?: string | undefined;
  readonly context: Fields;
  readonly properties: Fields;
}

/** A row that cannot become an event, with the reason for the person who has the file. */
export class RefusedRow extends Error {
  override readonly name = "RefusedRow";
}

/**
 * The events of one row: most products have one event in a row, Matomo has a whole visit, of which a part may be
 * refused. Throws a RefusedRow for a row without any event.
 */
export type MapRow = (row: NativeRow) => readonly (ImportedEvent | RefusedRow)[];

/** An event as it is sent, without its id. */
export type UnnamedEvent = Readonly<Record<string, unknown>> & {
  readonly context: Fields;
  readonly properties: Fields;
};

/** Older events are mistakes of a unit: no product of this list is older. */
const FIRST_MS = Date.UTC(2000, 0, 1);
/** A clock may be ahead, and a day of another time zone may have begun. */
const AHEAD_MS = DAY_MS;

export function toSent(event: ImportedEvent, nowMs: number): UnnamedEvent {
  const { atMs, anonymousId = "", userId = "", address = "" } = event;
  if (!(atMs >= FIRST_MS)) throw new RefusedRow(`its time, ${shownTime(atMs)}, is before the year 2000`);
  if (atMs > nowMs + AHEAD_MS) throw new RefusedRow(`its time, ${shownTime(atMs)}, is in the future`);
  if (anonymousId === "" && userId === "" && address === "")
    throw new RefusedRow("it names no visitor, no user and no wallet");
  const at = new Date(atMs).toISOString();
  return {
    type: event.type,
    channel: "import",
    version: "1",
    anonymous_id: anonymousId,
    user_id: userId,
    address,
    event: event.event ?? "",
    context: event.context,
    properties: event.properties,
    original_timestamp: at,
    sent_at: at,
  };
}

function shownTime(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}

/** The text that is sent, or why the events server would not take it. */
export function toText(event: UnnamedEvent, messageId: string): string {
  const named = { ...event, message_id: messageId };
  const problem = findProblem(named, "raw");
  if (problem !== undefined) {
    const [[field, message] = ["", "is not valid"]] = Object.entries(problem.failures);
    throw new RefusedRow(`${field === "" ? "it" : field} ${message}`);
  }
  const { context, properties, ...rest } = named;
  const bodies = [context, properties].map((body) => stringifyKeepingNumbers(body));
  const text = `${JSON.stringify(rest).slice(0, -1)},"context":${bodies[0]},"properties":${bodies[1]}}`;
  if (text.length * 3 > LIMITS.eventBytes && Buffer.byteLength(text) > LIMITS.eventBytes)
    throw new RefusedRow(`it is larger than ${LIMITS.eventBytes / 1024} KiB`);
  if (isDeeper(text, LIMITS.jsonDepth)) throw new RefusedRow(`it is nested deeper than ${LIMITS.jsonDepth} levels`);
  return text;
}

/**
 * The hash of an event without a key: of its row as the file has it, so that the same row of two exports is one event,
 * also when a later version reads more from it.
 */
export function hashOf(row: NativeRow, index: number): Buffer {
  return createHash("sha256").update(stringifyKeepingNumbers(row)).update(`#${index}`).digest();
}
