/** Reads the fixed beginning of event rows in RowBinary. */
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { EVENT_HEAD } from "../event-columns.ts";
import { bytesOfLength, readLength } from "../row-binary.ts";
import type { EventRows } from "./append.ts";

/** The fields that the ledger needs. */
export interface EventHead {
  readonly projectId: string;
  readonly day: string;
  readonly receivedAtMs: number;
}

export function readHead({ bytes, starts }: EventRows, nth: number): EventHead {
  const start = starts[nth] ?? 0;
  const at = start + EVENT_HEAD.project_id;
  const length = readLength(bytes, at);
  const from = at + bytesOfLength(length);
  return {
    projectId: bytes.toString("utf8", from, from + length),
    day: dayOf(readMillis(bytes, start + EVENT_HEAD.timestamp)),
    receivedAtMs: readMillis(bytes, start + EVENT_HEAD.received_at),
  };
}

/** The different days of a column: of the client's clock, or of the time of the event. */
export function daysOf(
  { bytes, starts }: EventRows,
  column: typeof EVENT_HEAD.dedupe_day | typeof EVENT_HEAD.timestamp,
): string[] {
  const days = new Set<number>();
  for (const start of starts) {
    const at = start + column;
    days.add(column === EVENT_HEAD.dedupe_day ? bytes.readUInt16LE(at) : Math.floor(readMillis(bytes, at) / DAY_MS));
  }
  return [...days].map((day) => dayOf(day * DAY_MS));
}

function readMillis(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readInt32LE(at + 4) * 4_294_967_296;
}
