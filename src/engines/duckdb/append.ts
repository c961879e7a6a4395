/**
 * Writes event rows from their wire format (RowBinary) directly into the vectors of an appender. Written by hand: with
 * the appender's own calls, value by value, 25,000 rows a second were stored; this stores about twice as many. A text
 * of up to 12 bytes, as most are, is inlined in the vector (`duckdb_string_t` of the C API): such texts are copied in
 * bulk, 50 ns each. Only longer ones need a call each, which takes 630 ns.
 */
import {
  BIGINT,
  DATE,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  TIMESTAMP_MS,
  UBIGINT,
  UTINYINT,
  VARCHAR,
} from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import { DAY_MS } from "../../lib/time.ts";
import { ADDED_COLUMNS, type ColumnKind, EVENT_COLUMNS } from "../event-columns.ts";
import { bytesOfLength, readLength } from "../row-binary.ts";
import { type AppendTarget, CHUNK_ROWS, withAppenders } from "./append-values.ts";

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
/** The columns of `events` in their order: those of the wire format, and the day that follows from the time. */
export const TABLE_COLUMNS: readonly ColumnName[] = [
  ...HEAD,
  ...EVENT_COLUMNS.map(([name]) => name).filter((name) => !HEAD.includes(name)),
];

const WIDTHS: Readonly<Record<ColumnKind, number>> = {
  text: TEXT_BYTES,
  time: 8,
  millis: 8,
  day: 4,
  float: 8,
  byte: 1,
  hash: 8,
};
export const TYPES: Readonly<Record<ColumnKind, DuckDBType>> = {
  text: VARCHAR,
  time: TIMESTAMP_MS,
  millis: BIGINT,
  day: DATE,
  float: DOUBLE,
  byte: UTINYINT,
  hash: UBIGINT,
};

/** The values of one column of a chunk, in the layout of a DuckDB vector. */
class Column {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly bytes: Buffer;
  /** Row, first byte and end of each text that is not inlined. */
  readonly long: number[] = [];

  constructor(name: string, kind: ColumnKind) {
    this.name = name;
    this.kind = kind;
    this.bytes = Buffer.alloc(WIDTHS[kind] * CHUNK_ROWS);
  }
}

export interface EventRows {
  /** RowBinary, and the offset of each row. */
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
}

/** The target table must have the columns of `events` without `status`. */
export async function appendEvents(
  connection: DuckDBConnection,
  target: AppendTarget,
  { bytes, starts }: EventRows,
): Promise<void> {
  await withAppenders(connection, [target], ([appender]) => {
    for (let from = 0; from < starts.length; from += CHUNK_ROWS)
      appender?.appendDataChunk(createChunk(bytes, starts.subarray(from, from + CHUNK_ROWS)));
  });
}

const KINDS = new Map<string, ColumnKind>([...ADDED_COLUMNS, ...EVENT_COLUMNS]);
const TABLE_TYPES = TABLE_COLUMNS.map((name) => TYPES[KINDS.get(name) ?? "text"]);
const TIMESTAMP_AT = EVENT_COLUMNS.findIndex(([name]) => name === "timestamp");
/** Reused for each chunk. */
const COLUMNS = EVENT_COLUMNS.map(([name, kind]) => new Column(name, kind));
const DAYS = new Column("day", "day");

function createChunk(rows: Buffer, starts: Uint32Array): DuckDBDataChunk {
  for (const { kind, bytes, long } of COLUMNS) {
    long.length = 0;
    // What a short text leaves of its place has to be zero. One call a column takes a tenth of one a text.
    if (kind === "text") bytes.fill(0);
  }
  starts.forEach((start, row) => {
    let at = start;
    for (const column of COLUMNS)
      at = column.kind === "text" ? readText(column, rows, at, row) : readNumber(column, rows, at, row);
    const { bytes } = COLUMNS[TIMESTAMP_AT] as Column;
    const millis = bytes.readUInt32LE(row * 8) + bytes.readInt32LE(row * 8 + 4) * 4_294_967_296;
    DAYS.bytes.writeInt32LE(Math.floor(millis / DAY_MS), row * 4);
  });
  const chunk = DuckDBDataChunk.create(TABLE_TYPES, starts.length);
  for (const column of [...COLUMNS, DAYS]) fillVector(chunk, column, starts.length, rows);
  return chunk;
}

function fillVector(chunk: DuckDBDataChunk, { name, kind, bytes, long }: Column, count: number, rows: Buffer): void {
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, TABLE_COLUMNS.indexOf(name as ColumnName));
  duckdb.copy_data_to_vector(vector, 0, bytes.buffer as ArrayBuffer, bytes.byteOffset, count * WIDTHS[kind]);
  for (let at = 0; at < long.length; at += 3)
    duckdb.vector_assign_string_element_len(vector, long[at] ?? 0, rows.subarray(long[at + 1], long[at + 2]));
}

function readText(column: Column, rows: Buffer, start: number, row: number): number {
  const length = readLength(rows, start);
  const at = start + bytesOfLength(length);
  const to = row * TEXT_BYTES;
  const { bytes } = column;
  if (length > INLINED_BYTES) {
    column.long.push(row, at, at + length);
    return at + length;
  }
  bytes[to] = length;
  for (let i = 0; i < length; i += 1) bytes[to + 4 + i] = rows[at + i] ?? 0;
  return at + length;
}

/** A day has 16 bits in RowBinary and 32 in DuckDB; the other types have the same width in both. */
function readNumber({ kind, bytes }: Column, rows: Buffer, at: number, row: number): number {
  if (kind === "day") {
    bytes.writeInt32LE(rows.readUInt16LE(at), row * 4);
    return at + 2;
  }
  const width = WIDTHS[kind];
  const to = row * width;
  for (let i = 0; i < width; i += 1) bytes[to + i] = rows[at + i] ?? 0;
  return at + width;
}
