/**
 * Events as columns: the wire format of DuckDB, whose vectors are filled from it. A column has a word or two for each
 * row. A text is a number: its place in a list of different texts, whose bytes lie in one heap. The layout is heap,
 * columns, offset and length of each text, and at the end the numbers of rows, texts and bytes of the heap.
 *
 * Written by hand: no library writes the vectors of DuckDB. The rows of RowBinary took 6.5 us an event to write, and had
 * to be read again byte by byte.
 */
import { type BufferPool, createBufferPool } from "../lib/buffer-pool.ts";
import { DAY_MS } from "../lib/time.ts";
import { type ColumnKind, type ColumnReaders, EVENT_COLUMNS } from "./event-columns.ts";
import { createHashReader, type EventHashes } from "./event-hashes.ts";
import { EXPORTED_READERS } from "./exported-rows.ts";
import type { ExportedRow } from "./port.ts";
import { createTextList, type TextList } from "./text-list.ts";

type ColumnName = (typeof EVENT_COLUMNS)[number][0];

export interface EventBlock {
  readonly rows: number;
  readonly heap: Buffer;
  /** Offset and length of each text. The first one is empty. */
  readonly texts: Uint32Array;
  /** The words of a column. */
  column(name: string): Uint32Array;
}

/** 32-bit words of a value, the lower one first. */
export const WORDS: Readonly<Record<ColumnKind, 1 | 2>> = {
  text: 1,
  day: 1,
  byte: 1,
  time: 2,
  millis: 2,
  float: 2,
  hash: 2,
};

/** Ids and whole objects: nearly every row has another one, so they are not looked up among those before. */
const DIFFERENT: ReadonlySet<string> = new Set([
  "message_id",
  "anonymous_id",
  "user_id",
  "address",
  "address_spelt",
  "session_id",
  "context",
  "properties",
] satisfies ColumnName[]);

const UINT32 = 4_294_967_296;
const FIRST_ROWS = 1_024;
const TRAILER_WORDS = 3;

interface BlockWriter<Row> {
  /** Forgets the rows since the last `finish`. */
  clear(): void;
  add(row: Row): void;
  finish(): Buffer;
}

/** One value as the two words that it is stored as. */
const pair = new Uint32Array(2);
const pairAsFloat = new Float64Array(pair.buffer);
const pairAsHash = new BigUint64Array(pair.buffer);

export function createBlockWriter<Row>(
  readers: ColumnReaders<Row>,
  buffers: BufferPool = createBufferPool(0),
): BlockWriter<Row> {
  const readHashes = createHashReader(readers);
  const indexOf = createDayIndex();
  const columns = EVENT_COLUMNS.map(([name, kind]) => ({
    name,
    kind,
    read: kind === "hash" ? undefined : readers[name],
    isDifferent: DIFFERENT.has(name),
    words: new Uint32Array(FIRST_ROWS * WORDS[kind]),
  }));
  let capacity = FIRST_ROWS;
  let texts: TextList | undefined;
  let rows = 0;

  function putPair(words: Uint32Array): void {
    words[rows * 2] = pair[0] as number;
    words[rows * 2 + 1] = pair[1] as number;
  }

  function grow(): void {
    for (const column of columns) {
      const larger = new Uint32Array(column.words.length * 2);
      larger.set(column.words);
      column.words = larger;
    }
    capacity *= 2;
  }

  function clear(): void {
    texts = undefined;
    rows = 0;
  }

  return {
    clear,
    add(row) {
      if (rows === capacity) grow();
      texts ??= createTextList(buffers);
      const hashes = readHashes(row);
      for (const { name, kind, read, isDifferent, words } of columns) {
        if (read === undefined) {
          pairAsHash[0] = hashes[name as keyof EventHashes];
          putPair(words);
          continue;
        }
        const value = read(row);
        if (typeof value === "string") {
          if (kind === "day") words[rows] = indexOf(value);
          else if (value === "") words[rows] = 0;
          else words[rows] = isDifferent ? texts.add(value) : texts.find(value);
        } else if (kind === "byte") words[rows] = value;
        else if (kind === "float") {
          pairAsFloat[0] = value;
          putPair(words);
        } else {
          // The floor carries the sign of a negative number into the upper half.
          const high = Math.floor(value / UINT32);
          words[rows * 2] = value - high * UINT32;
          words[rows * 2 + 1] = high;
        }
      }
      rows += 1;
    },
    finish() {
      const parts = columns.map(({ kind, words }) => words.subarray(0, rows * WORDS[kind]));
      const block = (texts ?? createTextList(buffers)).finish(parts, rows);
      clear();
      return block;
    },
  };
}

const OFFSETS = new Map<string, { at: number; words: 1 | 2 }>();
let rowWords = 0;
for (const [name, kind] of EVENT_COLUMNS) {
  OFFSETS.set(name, { at: rowWords, words: WORDS[kind] });
  rowWords += WORDS[kind];
}

export function openBlock(bytes: Uint8Array): EventBlock {
  if (bytes.length === 0) return openBlock(encodeExportedBlock([]));
  // Words must be aligned; those of a small request need not be.
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  const wordsAt = (at: number, count: number) => new Uint32Array(buffer, byteOffset + at, count);
  const [rows = 0, textCount = 0, heapBytes = 0] = wordsAt(byteLength - TRAILER_WORDS * 4, TRAILER_WORDS);
  const columnsAt = alignedTo4(heapBytes);
  const textsAt = columnsAt + rows * rowWords * 4;
  if (textsAt + textCount * 8 + TRAILER_WORDS * 4 !== byteLength) throw new Error("a block of events is incomplete");
  return {
    rows,
    heap: Buffer.from(buffer, byteOffset, heapBytes),
    texts: wordsAt(textsAt, textCount * 2),
    column(name) {
      const found = OFFSETS.get(name);
      if (found === undefined) throw new Error(`an event has no column ${name}`);
      return wordsAt(columnsAt + found.at * rows * 4, rows * found.words);
    },
  };
}

/** The events of a backup, or events that were parked. */
export function encodeExportedBlock(rows: readonly ExportedRow[]): Buffer {
  const writer = createBlockWriter(EXPORTED_READERS);
  for (const row of rows) writer.add(row);
  return writer.finish();
}

export function textOf({ heap, texts }: EventBlock, code: number): string {
  const start = texts[code * 2] ?? 0;
  return heap.toString("utf8", start, start + (texts[code * 2 + 1] ?? 0));
}

export function millisOf(words: Uint32Array, row: number): number {
  // The upper half has the sign.
  return (words[row * 2] ?? 0) + ((words[row * 2 + 1] ?? 0) | 0) * UINT32;
}

function alignedTo4(bytes: number): number {
  return (bytes + 3) & ~3;
}

/** Days since 1970; a batch has few different ones. */
export function createDayIndex(): (day: string) => number {
  const days = new Map<string, number>();
  return (day) => {
    let index = days.get(day);
    if (index === undefined) {
      index = Date.parse(`${day}T00:00:00Z`) / DAY_MS;
      days.set(day, index);
    }
    return index;
  };
}
