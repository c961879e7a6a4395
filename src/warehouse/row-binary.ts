/**
 * Event rows in ClickHouse's RowBinary. Written by hand: no library encodes it, and it is what the batch path's cost hangs on.
 * Against JSONEachRow the engine needed 27 instead of 38 us a row, the encoding 3 instead of 7, and a row 1.3 instead of 2.2 KB.
 */
import { blankRow, type EventRow } from "../enrich/row.ts";

type Kind = "text" | "millis" | "day" | "float" | "byte";

const MILLIS = ["timestamp", "received_at", "original_timestamp", "sent_at"];
const FLOATS = ["volume", "revenue", "points"];
const BYTES = ["has_touch", "is_bot"];

/** In the order of the row's own properties; the insert names them. */
export const EVENT_COLUMNS = Object.keys(blankRow({ projectId: "", receivedAtMs: 0, raw: {} })) as (keyof EventRow)[];
const KINDS: readonly Kind[] = EVENT_COLUMNS.map(kindOf);

function kindOf(column: string): Kind {
  if (column === "day") return "day";
  if (MILLIS.includes(column)) return "millis";
  if (FLOATS.includes(column)) return "float";
  return BYTES.includes(column) ? "byte" : "text";
}

const DAY_MS = 86_400_000;
const FIXED_BYTES = 4 * 8 + 2 + 3 * 8 + 2;
/** A text this short has at most 126 bytes of UTF-8, so its length is one byte and need not be known first. */
const SHORT_CHARS = 42;
const FIRST_BYTES = 1024 * 1024;

export interface RowWriter {
  add(row: EventRow): void;
  /** All rows, and where each begins. */
  finish(): { bytes: Uint8Array; starts: Uint32Array };
}

export function createRowWriter(): RowWriter {
  let buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let at = 0;
  const starts: number[] = [];
  const days = new Map<string, number>();

  function reserve(bytes: number): void {
    if (at + bytes <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, at + bytes));
    buffer.copy(larger, 0, 0, at);
    buffer = larger;
  }

  function putText(text: string): void {
    if (text.length <= SHORT_CHARS) {
      const bytes = buffer.write(text, at + 1);
      buffer[at] = bytes;
      at += bytes + 1;
      return;
    }
    const bytes = Buffer.byteLength(text);
    for (let rest = bytes; ; rest >>>= 7) {
      buffer[at] = rest < 128 ? rest : (rest & 127) | 128;
      at += 1;
      if (rest < 128) break;
    }
    at += buffer.write(text, at);
  }

  function putDay(day: string): void {
    let index = days.get(day);
    if (index === undefined) {
      index = Date.parse(`${day}T00:00:00Z`) / DAY_MS;
      days.set(day, index);
    }
    at = buffer.writeUInt16LE(index, at);
  }

  function putMillis(ms: number): void {
    // Two halves instead of a BigInt: times lie between 1970 and 2100, so the sign is never set.
    at = buffer.writeUInt32LE(ms % 4_294_967_296, at);
    at = buffer.writeUInt32LE(Math.floor(ms / 4_294_967_296), at);
  }

  return {
    add(row) {
      let room = FIXED_BYTES;
      for (let i = 0; i < KINDS.length; i += 1) {
        if (KINDS[i] === "text") room += 5 + 3 * (row[EVENT_COLUMNS[i] as keyof EventRow] as string).length;
      }
      reserve(room);
      starts.push(at);
      for (let i = 0; i < KINDS.length; i += 1) {
        const value = row[EVENT_COLUMNS[i] as keyof EventRow];
        const kind = KINDS[i];
        if (kind === "text") putText(value as string);
        else if (kind === "millis") putMillis(value as number);
        else if (kind === "float") at = buffer.writeDoubleLE(value as number, at);
        else if (kind === "day") putDay(value as string);
        else {
          buffer[at] = value as number;
          at += 1;
        }
      }
    },
    finish: () => ({ bytes: buffer.subarray(0, at), starts: Uint32Array.from(starts) }),
  };
}

/** One row back again, for one that the warehouse refused. */
export function decodeRow(bytes: Uint8Array): EventRow {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const readText = () => {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = buffer[at] ?? 0;
      at += 1;
      length |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    at += length;
    return buffer.toString("utf8", at - length, at);
  };
  const readers: Record<Kind, () => string | number> = {
    text: readText,
    millis: () => {
      at += 8;
      return buffer.readUInt32LE(at - 8) + buffer.readUInt32LE(at - 4) * 4_294_967_296;
    },
    day: () => {
      at += 2;
      return new Date(buffer.readUInt16LE(at - 2) * DAY_MS).toISOString().slice(0, 10);
    },
    float: () => {
      at += 8;
      return buffer.readDoubleLE(at - 8);
    },
    byte: () => {
      at += 1;
      return buffer[at - 1] ?? 0;
    },
  };
  return Object.fromEntries(
    EVENT_COLUMNS.map((column, i) => [column, readers[KINDS[i] ?? "text"]()]),
  ) as unknown as EventRow;
}
