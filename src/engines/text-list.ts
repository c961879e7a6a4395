/** The different texts of a block of events (event-block.ts), as numbers of a list. */
import type { BufferPool } from "../lib/buffer-pool.ts";
import type { TextBytes } from "../lib/text-bytes.ts";

const FIRST_BYTES = 1024 * 1024;
const FIRST_TEXTS = 4_096;
/** A longer text is written again: it is rarely one that repeats. */
const LONGEST_SOUGHT = 256;
/** More different texts than that do not repeat either. */
const MOST_SOUGHT = 50_000;
export const TRAILER_WORDS = 3;

export interface TextList {
  /** The number of a new text. */
  add(text: string): number;
  copy(text: TextBytes): number;
  /** The number of an equal text. */
  find(text: string): number;
  /** The heap, and after it so many words of the columns, which `put` writes, the list and the counts. */
  finish(rows: number, columnWords: number, put: (into: Uint32Array) => void): Buffer;
}

export function createTextList(buffers: BufferPool): TextList {
  let heap = buffers.take(FIRST_BYTES);
  let heapBytes = 0;
  let texts = new Uint32Array(FIRST_TEXTS * 2);
  // The empty text is the first.
  let count = 1;
  const sought = new Map<string, number>();

  function reserve(bytes: number): void {
    if (heapBytes + bytes <= heap.length) return;
    const larger = buffers.take(Math.max(heap.length * 2, heapBytes + bytes));
    heap.copy(larger, 0, 0, heapBytes);
    buffers.give(heap.buffer);
    heap = larger;
  }

  function add(text: string): number {
    reserve(3 * text.length);
    return put(heap.write(text, heapBytes));
  }

  function copy({ bytes, start, end }: TextBytes): number {
    reserve(end - start);
    return put(bytes.copy(heap, heapBytes, start, end));
  }

  /** The bytes are in the heap. */
  function put(bytes: number): number {
    if (count * 2 === texts.length) {
      const larger = new Uint32Array(texts.length * 2);
      larger.set(texts);
      texts = larger;
    }
    texts[count * 2] = heapBytes;
    texts[count * 2 + 1] = bytes;
    heapBytes += bytes;
    count += 1;
    return count - 1;
  }

  function find(text: string): number {
    if (text.length > LONGEST_SOUGHT) return add(text);
    const known = sought.get(text);
    if (known !== undefined) return known;
    const number = add(text);
    if (sought.size < MOST_SOUGHT) sought.set(text, number);
    return number;
  }

  function finish(rows: number, columnWords: number, put: (into: Uint32Array) => void): Buffer {
    const used = heapBytes;
    const start = (used + 3) & ~3;
    const words = columnWords + count * 2 + TRAILER_WORDS;
    reserve(start - used + words * 4);
    const all = new Uint32Array(heap.buffer, heap.byteOffset + start, words);
    put(all.subarray(0, columnWords));
    all.set(texts.subarray(0, count * 2), columnWords);
    all.set([rows, count, used], columnWords + count * 2);
    return heap.subarray(0, start + words * 4);
  }

  return { add, copy, find, finish };
}
