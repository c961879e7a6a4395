/**
 * Large buffers for use over and over. Memory outside the heap makes the runtime collect all of it once 64 MB have been asked for,
 * and full load asks for 60 MB a second: that was two full collections a second in each thread, 6 us of processor an event.
 * Written by hand: a buffer here moves between threads, which no library expects.
 */
export interface BufferPool {
  /** At least this long; what it holds is anything. */
  take(bytes: number): Buffer;
  /** Nobody else may use it any more. */
  give(memory: ArrayBufferLike): void;
}

/** Twice the memory that small buffers share, which must never be taken for one's own. */
const SMALLEST_BYTES = Buffer.poolSize * 2;
/** What full load needs; one that a burst made larger goes, or it would stay for good. */
const LARGEST_BYTES = 16 * 1024 * 1024;

/** Keeps at most `most` that nobody uses, the largest ones that are not too large to keep. */
export function createBufferPool(most: number): BufferPool {
  const spare: ArrayBuffer[] = [];
  return {
    take(bytes) {
      const at = spare.findIndex((memory) => memory.byteLength >= bytes);
      const [memory] = at === -1 ? [] : spare.splice(at, 1);
      // Sizes in steps of two, so that the next one, which is a little larger, finds it large enough.
      return memory
        ? Buffer.from(memory)
        : Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(Math.max(bytes, SMALLEST_BYTES))));
    },
    give(memory) {
      if (!(memory instanceof ArrayBuffer)) return;
      if (memory.byteLength < SMALLEST_BYTES || memory.byteLength > LARGEST_BYTES) return;
      spare.push(memory);
      spare.sort((a, b) => b.byteLength - a.byteLength).splice(most);
    },
  };
}
