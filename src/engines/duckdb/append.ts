/**
 * Event rows from their wire format (RowBinary) straight into the vectors of an appender. Written by hand: the appender's own calls, value by
 * value, took 25,000 rows a second, this about twice as many. A text of up to 12 bytes, as most are, stands in the vector itself
 * (`duckdb_string_t` of the C API): such are written together, 50 ns each, and only longer ones are handed over by a call, which takes 630.
 */
import {
  BIGINT,
  DATE,
  DOUBLE,
  type DuckDBAppender,
  DuckDBDataChunk,
  type DuckDBType,
  TIMESTAMP_MS,
  UBIGINT,
  UTINYINT,
  VARCHAR,
} from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import { DAY_MS } from "../../lib/time.ts";
import { type ColumnKind, EVENT_COLUMNS } from "../event-columns.ts";
import { CHUNK_ROWS } from "./append-values.ts";

const TEXT_BYTES = 16;
const INLINED_BYTES = 12;

type ColumnName = (typeof EVENT_COLUMNS)[number][0] | "day";

const HEAD: readonly ColumnName[] = [
  "project_id",
  "day",
  "timestamp",
  "session",
  "visitor",
  "dedupe_day",
  "dedupe_key",
  "message_id",
  "received_at",
];
/** The columns of `events` in its order: those of the wire format, and the day that follows from the time. */
export const TABLE_COLUMNS: readonly ColumnName[] = [
  ...HEAD,
  ...EVENT_COLUMNS.map(([name]) => name).filter((name) => !HEAD.includes(name)),
];

const WIDTHS: Readonly<Record<ColumnKind, number>> = {
  text: TEXT_BYTES,
  millis: 8,
  day: 4,
  float: 8,
  byte: 1,
  hash: 8,
};
const TIMES = ["timestamp", "received_at"];

function typeOf(name: string): DuckDBType {
  if (name === "day" || name === "dedupe_day") return DATE;
  if (TIMES.includes(name)) return TIMESTAMP_MS;
  const kind = EVENT_COLUMNS.find(([column]) => column === name)?.[1] ?? "text";
  return { text: VARCHAR, millis: BIGINT, day: DATE, float: DOUBLE, byte: UTINYINT, hash: UBIGINT }[kind];
}

/** Where rows go: a table with all of the columns, or with some of them. */
export interface Target {
  readonly appender: DuckDBAppender;
  readonly columns: readonly ColumnName[];
}

/** The values of one column of a chunk, as DuckDB's vector has them. */
class Column {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly bytes: Buffer;
  /** Row, first and last byte of each text that does not fit. */
  readonly long: number[] = [];

  constructor(name: string, kind: ColumnKind) {
    this.name = name;
    this.kind = kind;
    this.bytes = Buffer.alloc(WIDTHS[kind] * CHUNK_ROWS);
  }
}

export interface RowAppender {
  /** One row, which begins at `start` of `rows`. */
  add(rows: Buffer, start: number): void;
  /** Hands over what is left. */
  finish(): void;
}

/** Rows given to `add` must stay as they are until `finish`, or until the chunk is full. Each goes to all targets. */
export function createRowAppender(targets: readonly Target[]): RowAppender {
  const columns = EVENT_COLUMNS.map(([name, kind]) => new Column(name, kind));
  const days = new Column("day", "day");
  const timestampAt = EVENT_COLUMNS.findIndex(([name]) => name === "timestamp");
  let count = 0;
  let source: Buffer = Buffer.alloc(0);

  function flush(): void {
    if (count === 0) return;
    const all = [...columns, days];
    for (const target of targets) fill(target, all, count, source);
    for (const { long } of all) long.length = 0;
    count = 0;
  }

  return {
    add(rows, start) {
      if (rows !== source) {
        flush();
        source = rows;
      }
      let at = start;
      for (let nth = 0; nth < columns.length; nth += 1) {
        const column = columns[nth] as Column;
        at = column.kind === "text" ? readText(column, rows, at, count) : readNumber(column, rows, at, count);
      }
      const { bytes } = columns[timestampAt] as Column;
      const millis = bytes.readUInt32LE(count * 8) + bytes.readInt32LE(count * 8 + 4) * 4_294_967_296;
      days.bytes.writeInt32LE(Math.floor(millis / DAY_MS), count * 4);
      count += 1;
      if (count === CHUNK_ROWS) flush();
    },
    finish: flush,
  };
}

function fill({ appender, columns }: Target, values: readonly Column[], count: number, source: Buffer): void {
  const chunk = DuckDBDataChunk.create(columns.map(typeOf), count);
  for (const { name, kind, bytes, long } of values) {
    const index = columns.indexOf(name as ColumnName);
    if (index === -1) continue;
    const vector = duckdb.data_chunk_get_vector(chunk.chunk, index);
    duckdb.copy_data_to_vector(vector, 0, bytes.buffer as ArrayBuffer, bytes.byteOffset, count * WIDTHS[kind]);
    for (let at = 0; at < long.length; at += 3)
      duckdb.vector_assign_string_element_len(vector, long[at] ?? 0, source.subarray(long[at + 1], long[at + 2]));
  }
  appender.appendDataChunk(chunk);
}

function readText(column: Column, rows: Buffer, start: number, row: number): number {
  let at = start;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = rows[at] ?? 0;
    at += 1;
    length |= (byte & 127) << shift;
    if (byte < 128) break;
  }
  const to = row * TEXT_BYTES;
  const { bytes } = column;
  if (length > INLINED_BYTES) {
    column.long.push(row, at, at + length);
    return at + length;
  }
  bytes.fill(0, to, to + TEXT_BYTES);
  bytes[to] = length;
  for (let i = 0; i < length; i += 1) bytes[to + 4 + i] = rows[at + i] ?? 0;
  return at + length;
}

/** A day has 16 bits in RowBinary and 32 in DuckDB; everything else is as wide in both. */
function readNumber({ kind, bytes }: Column, rows: Buffer, at: number, row: number): number {
  if (kind === "day") {
    bytes.writeInt32LE(rows.readUInt16LE(at), row * 4);
    return at + 2;
  }
  const width = WIDTHS[kind];
  rows.copy(bytes, row * width, at, at + width);
  return at + width;
}
