/**
 * Large reusable buffers. The runtime collects all memory once 64 MB outside the heap were allocated, and full load
 * allocates 60 MB a second. That caused two full collections a second in each thread, 6 us of CPU for each event.
 * Written by hand, because these buffers move between threads and no library supports that.
 */
export interface BufferPool {
  /** At least this long; its content is undefined. */
  take(bytes: number): Buffer;
  /** The caller must not use the buffer afterwards. */
  give(memory: ArrayBufferLike): void;
}

/** Twice the size of the pool that Node's small buffers share: the memory of that pool must never be kept here. */
const SMALLEST_BYTES = Buffer.poolSize * 2;
/** Full load needs this much. A larger buffer is from a burst and is not kept, because it would never be freed. */
const LARGEST_BYTES = 16 * 1024 * 1024;

/** Keeps at most `most` unused buffers: the largest ones within the size limit. */
export function createBufferPool(most: number): BufferPool {
  const spare: ArrayBuffer[] = [];
  return {
    take(bytes) {
      const at = spare.findIndex((memory) => memory.byteLength >= bytes);
      const [memory] = at === -1 ? [] : spare.splice(at, 1);
      // Sizes are powers of two, so that a slightly larger request can reuse the buffer.
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
