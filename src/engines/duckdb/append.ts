/**
 * Writes event rows from their wire format (RowBinary) directly into the vectors of an appender. Written by hand: with
 * the appender's own calls, value by value, 25,000 rows a second were stored; this stores about three times as many.
 *
 * A text of up to 12 bytes, as most are, lies in the vector itself (`duckdb_string_t` of the C API); a longer one is its
 * length, its first four bytes and an address. A call for each longer text takes 0.5 us, eight times an event. So the rows
 * of a chunk are copied to memory of DuckDB with one call, and each text gets its address there. The copy lives until the
 * appender has taken the texts.
 */
import {
  BIGINT,
  BLOB,
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
const UINT32 = 4_294_967_296;

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
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly words: Uint32Array<ArrayBuffer>;

  constructor([name, kind]: readonly [string, ColumnKind]) {
    this.name = name;
    this.kind = kind;
    this.bytes = new Uint8Array(WIDTHS[kind] * CHUNK_ROWS);
    this.words = new Uint32Array(this.bytes.buffer);
  }
}

export interface EventRows {
  /** RowBinary, and the offset of each row. */
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
}

export interface AppendedEvents extends AppendTarget {
  /** The columns of the table, in its order. */
  readonly columns: readonly string[];
  /** The texts of `status` that are not empty, by the offset of their row. */
  readonly statuses?: ReadonlyMap<number, string>;
}

export async function appendEvents(
  connection: DuckDBConnection,
  target: AppendedEvents,
  { bytes, starts }: EventRows,
): Promise<void> {
  const heap = DuckDBDataChunk.create([BLOB], 1);
  await withAppenders(connection, [target], ([appender]) => {
    for (let from = 0; from < starts.length; from += CHUNK_ROWS) {
      const some = starts.subarray(from, from + CHUNK_ROWS);
      const end = starts[from + CHUNK_ROWS] ?? bytes.length;
      appender?.appendDataChunk(createChunk(heap, target, bytes.subarray(0, end), some));
      // Only now: the texts of the chunk lie in it.
      heap.reset();
    }
  });
}

const KINDS = new Map<string, ColumnKind>([...ADDED_COLUMNS, ...EVENT_COLUMNS]);
/** Reused for each chunk. */
const WIRE = EVENT_COLUMNS.map((column) => new Column(column));
const ADDED = ADDED_COLUMNS.map((column) => new Column(column));
const BY_NAME = new Map([...WIRE, ...ADDED].map((column) => [column.name, column]));

function createChunk(
  heap: DuckDBDataChunk,
  { columns, statuses }: AppendedEvents,
  rows: Buffer,
  starts: Uint32Array,
): DuckDBDataChunk {
  const wanted = columns.map((name) => BY_NAME.get(name) ?? unknownColumn(name));
  // The day is read from the time. What comes after the last wanted column is not read.
  const last = WIRE.findLastIndex(
    ({ name }) => columns.includes(name) || (name === "timestamp" && columns.includes("day")),
  );
  const read = WIRE.slice(0, last + 1);
  const base = read.some(({ kind }) => kind === "text") ? copyToHeap(heap, rows, starts[0] ?? 0) : NOWHERE;
  readRows(read, rows, starts, base);
  if (columns.includes("day")) putDays(starts.length);
  const chunk = DuckDBDataChunk.create(
    columns.map((name) => TYPES[KINDS.get(name) ?? "text"]),
    starts.length,
  );
  wanted.forEach(({ kind, bytes }, at) => {
    const vector = duckdb.data_chunk_get_vector(chunk.chunk, at);
    duckdb.copy_data_to_vector(vector, 0, bytes.buffer, 0, starts.length * WIDTHS[kind]);
  });
  if (statuses !== undefined) putStatuses(chunk, columns.indexOf("status"), starts, statuses);
  return chunk;
}

function unknownColumn(name: string): never {
  throw new Error(`an event has no column ${name}`);
}

/** The halves of the address at which the byte with the offset 0 would lie. */
interface Address {
  readonly low: number;
  readonly high: number;
}

const NOWHERE: Address = { low: 0, high: 0 };

/** Copies the rows from `start` on. */
function copyToHeap(heap: DuckDBDataChunk, rows: Buffer, start: number): Address {
  const vector = duckdb.data_chunk_get_vector(heap.chunk, 0);
  const bytes = rows.subarray(start);
  duckdb.vector_assign_string_element_len(vector, 0, bytes);
  const text = Buffer.from(duckdb.vector_get_data(vector, TEXT_BYTES));
  // A row has at least 42 bytes, so that its copy is not inlined.
  if (text.readUInt32LE(0) !== bytes.length) throw new Error("DuckDB has another layout of texts");
  const low = text.readUInt32LE(8) - start;
  const high = text.readUInt32LE(12);
  return low < 0 ? { low: low + UINT32, high: high - 1 } : { low, high };
}

function readRows(columns: readonly Column[], rows: Buffer, starts: Uint32Array, heap: Address): void {
  // What a short text leaves of its place has to be zero. One call a column takes a tenth of one a text.
  for (const { kind, words } of columns) if (kind === "text") words.fill(0);
  for (let row = 0; row < starts.length; row += 1) {
    let at = starts[row] ?? 0;
    for (const column of columns) {
      if (column.kind === "text") at = readText(column, rows, at, row, heap);
      else at = readNumber(column, rows, at, row);
    }
  }
}

function readText({ bytes, words }: Column, rows: Buffer, start: number, row: number, heap: Address): number {
  // Nearly all lengths are one byte: without the two calls an event takes 0.3 us less.
  const first = rows[start] ?? 0;
  const length = first < 128 ? first : readLength(rows, start);
  const at = start + (first < 128 ? 1 : bytesOfLength(length));
  if (at + length > rows.length) throw new Error("a text ends after its rows");
  const word = row * 4;
  const to = row * TEXT_BYTES + 4;
  words[word] = length;
  const copied = length > INLINED_BYTES ? 4 : length;
  for (let i = 0; i < copied; i += 1) bytes[to + i] = rows[at + i] ?? 0;
  if (length > INLINED_BYTES) {
    const address = heap.low + at;
    words[word + 2] = address % UINT32;
    words[word + 3] = address < UINT32 ? heap.high : heap.high + 1;
  }
  return at + length;
}

/** A day has 16 bits in RowBinary and 32 in DuckDB; the other types have the same width in both. */
function readNumber({ kind, bytes, words }: Column, rows: Buffer, at: number, row: number): number {
  if (kind === "day") {
    words[row] = (rows[at] ?? 0) | ((rows[at + 1] ?? 0) << 8);
    return at + 2;
  }
  const width = WIDTHS[kind];
  const to = row * width;
  for (let i = 0; i < width; i += 1) bytes[to + i] = rows[at + i] ?? 0;
  return at + width;
}

function putDays(count: number): void {
  const times = BY_NAME.get("timestamp");
  const days = BY_NAME.get("day");
  if (times === undefined || days === undefined) return;
  for (let row = 0; row < count; row += 1) {
    // The upper half has the sign.
    const high = (times.words[row * 2 + 1] ?? 0) | 0;
    days.words[row] = Math.floor(((times.words[row * 2] ?? 0) + high * UINT32) / DAY_MS);
  }
}

/** The column is empty in every other row. */
function putStatuses(
  chunk: DuckDBDataChunk,
  at: number,
  starts: Uint32Array,
  statuses: ReadonlyMap<number, string>,
): void {
  if (statuses.size === 0) return;
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, at);
  starts.forEach((start, row) => {
    const status = statuses.get(start);
    if (status !== undefined) duckdb.vector_assign_string_element(vector, row, status);
  });
}
