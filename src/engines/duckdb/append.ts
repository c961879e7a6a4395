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

/** DuckDB's own size of a vector. */
const CHUNK_ROWS = 2048;
const TEXT_BYTES = 16;
const INLINED_BYTES = 12;

/** The columns of the table in its order: those of the wire format, and the day that follows from the time. */
const TABLE_COLUMNS = [
  "project_id",
  "day",
  "timestamp",
  "session",
  "visitor",
  "dedupe_day",
  "dedupe_key",
  "message_id",
  "received_at",
  ...EVENT_COLUMNS.map(([name]) => name).filter(
    (name) =>
      !["project_id", "timestamp", "session", "visitor", "dedupe_day", "dedupe_key", "message_id", "received_at"].includes(name),
  ),
];

const WIDTHS: Readonly<Record<ColumnKind, number>> = { text: TEXT_BYTES, millis: 8, day: 4, float: 8, byte: 1, hash: 8 };
const TIMES = ["timestamp", "received_at"];

function typeOf(name: string): DuckDBType {
  if (name === "day" || name === "dedupe_day") return DATE;
  if (TIMES.includes(name)) return TIMESTAMP_MS;
  const kind = EVENT_COLUMNS.find(([column]) => column === name)?.[1] ?? "text";
  return { text: VARCHAR, millis: BIGINT, day: DATE, float: DOUBLE, byte: UTINYINT, hash: UBIGINT }[kind];
}

const TABLE_TYPES = TABLE_COLUMNS.map(typeOf);

/** The values of one column of a chunk, as DuckDB's vector has them. */
class Column {
  readonly kind: ColumnKind;
  /** Its place in the table. */
  readonly index: number;
  readonly bytes: Buffer;
  /** Row, first and last byte of each text that does not fit. */
  readonly long: number[] = [];

  constructor(name: string, kind: ColumnKind) {
    this.kind = kind;
    this.index = TABLE_COLUMNS.indexOf(name);
    this.bytes = Buffer.alloc(WIDTHS[kind] * CHUNK_ROWS);
  }
}

export interface RowAppender {
  /** One row, which begins at `start` of `rows`. */
  add(rows: Buffer, start: number): void;
  /** Hands over what is left. */
  finish(): void;
}

/** Rows given to `add` must stay as they are until `finish`, or until the chunk is full. */
export function createRowAppender(appender: DuckDBAppender): RowAppender {
  const columns = EVENT_COLUMNS.map(([name, kind]) => new Column(name, kind));
  const days = new Column("day", "day");
  const timestampAt = EVENT_COLUMNS.findIndex(([name]) => name === "timestamp");
  let count = 0;
  let source: Buffer = Buffer.alloc(0);

  function flush(): void {
    if (count === 0) return;
    const chunk = DuckDBDataChunk.create(TABLE_TYPES, count);
    for (const { index, kind, bytes, long } of [...columns, days]) {
      const vector = duckdb.data_chunk_get_vector(chunk.chunk, index);
      duckdb.copy_data_to_vector(vector, 0, bytes.buffer as ArrayBuffer, bytes.byteOffset, count * WIDTHS[kind]);
      for (let at = 0; at < long.length; at += 3)
        duckdb.vector_assign_string_element_len(vector, long[at] ?? 0, source.subarray(long[at + 1], long[at + 2]));
      long.length = 0;
    }
    appender.appendDataChunk(chunk);
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
