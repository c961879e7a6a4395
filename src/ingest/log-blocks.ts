/**
 * The memory of records that wait for the disk. A record is copied into it when it is appended, so that its sender can
 * use its own memory again at once: bodies that were held until the disk had them were moved to the old generation, and
 * at full load a full garbage collection had to free them every second (8 to 16 us an event).
 */
const BLOCK_BYTES = 1024 * 1024;
/** A larger record has a block of its own, so that a block is filled to three quarters at least. */
const SHARED_BYTES = BLOCK_BYTES / 4;
/** One is filled while the other is written. More are needed only while a slow disk makes a queue. */
const SPARE_BLOCKS = 2;

export interface Block {
  readonly memory: Buffer;
  used: number;
  /** Records in it that are not settled. */
  waiting: number;
}

export class LogBlocks {
  readonly #spare: Block[] = [];
  #open: Block | undefined;

  /** A block with this much room behind its `used` bytes. */
  take(bytes: number): Block {
    if (bytes > SHARED_BYTES) return { memory: Buffer.allocUnsafeSlow(bytes), used: 0, waiting: 0 };
    if (this.#open === undefined || this.#open.used + bytes > BLOCK_BYTES)
      this.#open = this.#spare.pop() ?? { memory: Buffer.allocUnsafeSlow(BLOCK_BYTES), used: 0, waiting: 0 };
    return this.#open;
  }

  /** Nothing is added to the block that is filled now: it is about to be written. */
  seal(): void {
    this.#open = undefined;
  }

  /** Nobody waits for a record of the block any more. */
  give(block: Block): void {
    block.used = 0;
    const isShared = block.memory.length === BLOCK_BYTES;
    if (block !== this.#open && isShared && this.#spare.length < SPARE_BLOCKS) this.#spare.push(block);
  }
}
