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
import { type ColumnKind, type ColumnReaders, EVENT_COLUMNS, type SourceColumn } from "./event-columns.ts";
import { createHashReader, type EventHashes } from "./event-hashes.ts";
import { EXPORTED_READERS } from "./exported-rows.ts";
import type { ExportedRow } from "./source-tables.ts";
import { createTextList, type TextList, TRAILER_WORDS } from "./text-list.ts";

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

const OFFSETS = new Map<string, { at: number; words: 1 | 2 }>();
let rowWords = 0;
for (const [name, kind] of EVENT_COLUMNS) {
  OFFSETS.set(name, { at: rowWords, words: WORDS[kind] });
  rowWords += WORDS[kind];
}

export function createBlockWriter<Row>(
  readers: ColumnReaders<Row>,
  buffers: BufferPool = createBufferPool(0),
): BlockWriter<Row> {
  const readHashes = createHashReader(readers);
  const indexOf = createDayIndex();
  const { texts, days, numbers, hashes } = splitColumns(readers);
  // Row by row, and turned into columns at the end: the words of a row would lie in as many lines of the cache as it
  // has columns.
  let words = new Uint32Array(FIRST_ROWS * rowWords);
  let list: TextList | undefined;
  let rows = 0;

  function putPair(at: number): void {
    words[at] = pair[0] as number;
    words[at + 1] = pair[1] as number;
  }

  function grow(): void {
    const larger = new Uint32Array(words.length * 2);
    larger.set(words);
    words = larger;
  }

  function clear(): void {
    list = undefined;
    rows = 0;
  }

  function turn(into: Uint32Array): void {
    let to = 0;
    for (const { at, words: width } of OFFSETS.values())
      for (let row = 0; row < rows; row += 1)
        for (let word = 0; word < width; word += 1, to += 1) into[to] = words[row * rowWords + at + word] as number;
  }

  return {
    clear,
    add(row) {
      const from = rows * rowWords;
      if (from === words.length) grow();
      list ??= createTextList(buffers);
      for (const { read, at, isDifferent } of texts) {
        const text = read(row);
        if (text === "") words[from + at] = 0;
        else words[from + at] = isDifferent ? list.add(text) : list.find(text);
      }
      for (const { read, at } of days) words[from + at] = indexOf(read(row));
      for (const { read, at, kind } of numbers) {
        const value = read(row);
        if (kind === "byte") words[from + at] = value;
        else if (kind === "float") {
          pairAsFloat[0] = value;
          putPair(from + at);
        } else {
          // The floor carries the sign of a negative number into the upper half.
          const high = Math.floor(value / UINT32);
          words[from + at] = value - high * UINT32;
          words[from + at + 1] = high;
        }
      }
      const { visitor, session, dedupe_key } = readHashes(row);
      pairAsHash[0] = visitor;
      putPair(from + hashes.visitor);
      pairAsHash[0] = session;
      putPair(from + hashes.session);
      pairAsHash[0] = dedupe_key;
      putPair(from + hashes.dedupe_key);
      rows += 1;
    },
    finish() {
      const block = (list ?? createTextList(buffers)).finish(rows, rows * rowWords, turn);
      clear();
      return block;
    },
  };
}

/** The columns by the kind of their values. */
function splitColumns<Row>(readers: ColumnReaders<Row>) {
  const some = <Value>(kinds: readonly ColumnKind[]) =>
    EVENT_COLUMNS.filter(([, kind]) => kinds.includes(kind)).map(([name, kind]) => ({
      kind: kind as ColumnKind,
      read: readers[name as SourceColumn] as unknown as (row: Row) => Value,
      at: OFFSETS.get(name)?.at ?? 0,
      isDifferent: DIFFERENT.has(name),
    }));
  const at = (name: keyof EventHashes) => OFFSETS.get(name)?.at ?? 0;
  return {
    texts: some<string>(["text"]),
    days: some<string>(["day"]),
    numbers: some<number>(["byte", "float", "time", "millis"]),
    hashes: { visitor: at("visitor"), session: at("session"), dedupe_key: at("dedupe_key") },
  };
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
