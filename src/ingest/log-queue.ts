import { type Block, LogBlocks } from "./log-blocks.ts";
import { LOG_START, type Position } from "./log-position.ts";
import { RECORD_HEADER_BYTES } from "./segment-format.ts";

/** Called once: without a cause when the record is on disk, with one when it is refused. */
export type Settle = (cause: Error | undefined, position: Position) => void;

/** A record in the memory of the queue. Its header is written when its place in the log is known. */
export interface Entry {
  readonly block: Block;
  readonly at: number;
  /** Includes the record's header. */
  readonly bytes: number;
  readonly settle: Settle;
}

/** Appends that are not on disk yet, in order. */
export class LogQueue {
  readonly #blocks = new LogBlocks();
  #waiting: Entry[] = [];
  #bytes = 0;

  /** Copies the parts. `bytes` is the length of all and of a record's header. */
  add(parts: readonly Uint8Array[], bytes: number, settle: Settle): void {
    const block = this.#blocks.take(bytes);
    const at = block.used;
    let end = at + RECORD_HEADER_BYTES;
    for (const part of parts) {
      block.memory.set(part, end);
      end += part.length;
    }
    block.used = end;
    block.waiting += 1;
    this.#bytes += bytes;
    this.#waiting.push({ block, at, bytes, settle });
  }

  /** Those that are written next. Records that are added later do not lie beside them. */
  entries(): readonly Entry[] {
    this.#blocks.seal();
    return this.#waiting;
  }

  isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Includes the headers of the records. */
  bytes(): number {
    return this.#bytes;
  }

  /** The first entries are on disk, at these positions. */
  settle(positions: readonly Position[]): void {
    const done = this.#waiting.slice(0, positions.length);
    this.#waiting = this.#waiting.slice(positions.length);
    this.#free(done);
    for (const [nth, entry] of done.entries()) entry.settle(undefined, positions[nth] ?? LOG_START);
  }

  /** Empties the queue. */
  refuseAll(cause: Error): void {
    const refused = this.#waiting;
    this.#waiting = [];
    this.#free(refused);
    for (const entry of refused) entry.settle(cause, LOG_START);
  }

  /** Before the first of them is settled: what is settled may append again. */
  #free(left: readonly Entry[]): void {
    for (const { block, bytes } of left) {
      this.#bytes -= bytes;
      block.waiting -= 1;
      if (block.waiting === 0) this.#blocks.give(block);
    }
  }
}
