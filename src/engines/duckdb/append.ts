/**
 * Appends events from their columns (event-block.ts), each with one call.
 * Written by hand: with the appender's own calls, value by value, 25,000 rows a second were stored.
 *
 * A text of up to 12 bytes, as most are, lies in the vector itself (`duckdb_string_t` of the C API); a longer one is its
 * length, its first four bytes and an address. A call for each longer text takes 0.5 us, eight times an event. So the
 * heap of all texts is copied to memory of DuckDB with one call, and each text gets its address there. The copy lives
 * until the appender has taken the texts.
 */
import {
  BIGINT,
  BLOB,
  DATE,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  INTEGER,
  TIMESTAMP_MS,
  UBIGINT,
  UTINYINT,
  VARCHAR,
} from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import { DAY_MS } from "../../lib/time.ts";
import { type EventBlock, millisOf, WORDS } from "../event-block.ts";
import { ADDED_COLUMNS, type ColumnKind, EVENT_COLUMNS } from "../event-columns.ts";
import { type AppendTarget, CHUNK_ROWS, withAppenders } from "./append-values.ts";

const TEXT_BYTES = 16;
const INLINED_BYTES = 12;
const UINT32 = 4_294_967_296;

export const TYPES: Readonly<Record<ColumnKind, DuckDBType>> = {
  text: VARCHAR,
  time: TIMESTAMP_MS,
  millis: BIGINT,
  day: DATE,
  float: DOUBLE,
  byte: UTINYINT,
  hash: UBIGINT,
};

export interface EventRows {
  readonly block: EventBlock;
  /** The numbers of the rows in the block. */
  readonly rows: Uint32Array;
}

export interface AppendedEvents extends AppendTarget {
  /** The columns of the table, in its order. */
  readonly columns: readonly string[];
  /** The texts of `status` that are not empty, by the number of their row. */
  readonly statuses?: ReadonlyMap<number, string>;
}

export function allRows(block: EventBlock): EventRows {
  return { block, rows: Uint32Array.from({ length: block.rows }, (_, row) => row) };
}

export async function appendEvents(
  connection: DuckDBConnection,
  target: AppendedEvents,
  { block, rows }: EventRows,
): Promise<void> {
  const heap = DuckDBDataChunk.create([BLOB], 1);
  const hasTexts = target.columns.some((name) => name !== NTH && kindOf(name) === "text");
  const texts = hasTexts ? addressTexts(heap, block) : NO_TEXTS;
  await withAppenders(connection, [target], ([appender]) => {
    for (let from = 0; from < rows.length; from += CHUNK_ROWS) {
      const some = rows.subarray(from, from + CHUNK_ROWS);
      appender?.appendDataChunk(createChunk(target, { block, rows: some }, texts));
    }
  });
  // Only now: the texts of the chunks lie in it.
  heap.reset();
}

const NO_TEXTS = new Uint32Array();
/**
 * The column of a temporary table that says which row of the block it holds. An appender stores its rows in any order:
 * DuckDB inserts them with all its threads, and does not preserve their order (planning.ts).
 */
export const NTH = "nth";
const KINDS = new Map<string, ColumnKind>([...ADDED_COLUMNS, ...EVENT_COLUMNS]);

function kindOf(name: string): ColumnKind {
  const kind = KINDS.get(name);
  if (kind === undefined) throw new Error(`an event has no column ${name}`);
  return kind;
}

/** Each text of the block as the four words of a `duckdb_string_t`. */
function addressTexts(heap: DuckDBDataChunk, { heap: bytes, texts }: EventBlock): Uint32Array {
  const words = new Uint32Array(texts.length * 2);
  const inlined = new Uint8Array(words.buffer);
  const base = copyToHeap(heap, bytes);
  for (let at = 0; at < texts.length; at += 2) {
    const start = texts[at] ?? 0;
    const length = texts[at + 1] ?? 0;
    if (start + length > bytes.length) throw new Error("a text ends after its heap");
    const word = at * 2;
    words[word] = length;
    const copied = length > INLINED_BYTES ? 4 : length;
    for (let i = 0; i < copied; i += 1) inlined[word * 4 + 4 + i] = bytes[start + i] ?? 0;
    if (length <= INLINED_BYTES) continue;
    const address = base.low + start;
    words[word + 2] = address % UINT32;
    words[word + 3] = address < UINT32 ? base.high : base.high + 1;
  }
  return words;
}

/** The halves of the address of the copy. */
function copyToHeap(heap: DuckDBDataChunk, bytes: Buffer): { low: number; high: number } {
  // Nothing of it has an address.
  if (bytes.length <= INLINED_BYTES) return { low: 0, high: 0 };
  const vector = duckdb.data_chunk_get_vector(heap.chunk, 0);
  duckdb.vector_assign_string_element_len(vector, 0, bytes);
  const text = Buffer.from(duckdb.vector_get_data(vector, TEXT_BYTES));
  if (text.readUInt32LE(0) !== bytes.length) throw new Error("DuckDB has another layout of texts");
  return { low: text.readUInt32LE(8), high: text.readUInt32LE(12) };
}

/** The values of a column of a chunk, in the layout of a vector; reused for each. */
const VECTOR = new Uint32Array((CHUNK_ROWS * TEXT_BYTES) / 4);
const VECTOR_BYTES = new Uint8Array(VECTOR.buffer);

function createChunk({ columns, statuses }: AppendedEvents, rows: EventRows, texts: Uint32Array): DuckDBDataChunk {
  const count = rows.rows.length;
  const types = columns.map((name) => (name === NTH ? INTEGER : TYPES[kindOf(name)]));
  const chunk = DuckDBDataChunk.create(types, count);
  columns.forEach((name, at) => {
    const put = PUT.get(name) ?? ((some) => putColumn(name, some, texts));
    const width = put(rows);
    const vector = duckdb.data_chunk_get_vector(chunk.chunk, at);
    duckdb.copy_data_to_vector(vector, 0, VECTOR.buffer, 0, count * width);
    if (name === "status" && statuses !== undefined) putStatuses(vector, rows.rows, statuses);
  });
  return chunk;
}

/** Each of these puts the values of a column in the vector, and returns the bytes of one. */
function putColumn(name: string, { block, rows }: EventRows, texts: Uint32Array): number {
  const kind = kindOf(name);
  const words = block.column(name);
  if (kind === "text") {
    for (let i = 0; i < rows.length; i += 1) {
      const text = (words[rows[i] as number] as number) * 4;
      for (let word = 0; word < 4; word += 1) VECTOR[i * 4 + word] = texts[text + word] as number;
    }
    return TEXT_BYTES;
  }
  if (kind === "byte") {
    for (let i = 0; i < rows.length; i += 1) VECTOR_BYTES[i] = words[rows[i] as number] as number;
    return 1;
  }
  if (WORDS[kind] === 1) {
    for (let i = 0; i < rows.length; i += 1) VECTOR[i] = words[rows[i] as number] as number;
    return 4;
  }
  for (let i = 0; i < rows.length; i += 1) {
    const row = (rows[i] as number) * 2;
    VECTOR[i * 2] = words[row] as number;
    VECTOR[i * 2 + 1] = words[row + 1] as number;
  }
  return 8;
}

function putDays({ block, rows }: EventRows): number {
  const times = block.column("timestamp");
  for (let i = 0; i < rows.length; i += 1) VECTOR[i] = Math.floor(millisOf(times, rows[i] as number) / DAY_MS);
  return 4;
}

function putNumbers({ rows }: EventRows): number {
  VECTOR.set(rows);
  return 4;
}

/** The empty text. */
function putNothing(): number {
  VECTOR.fill(0);
  return TEXT_BYTES;
}

/** The columns that are not in a block. */
const PUT: ReadonlyMap<string, (rows: EventRows) => number> = new Map([
  ["status", putNothing],
  ["day", putDays],
  [NTH, putNumbers],
]);

function putStatuses(vector: duckdb.Vector, rows: Uint32Array, statuses: ReadonlyMap<number, string>): void {
  if (statuses.size === 0) return;
  rows.forEach((row, nth) => {
    const status = statuses.get(row);
    if (status !== undefined) duckdb.vector_assign_string_element(vector, nth, status);
  });
}
