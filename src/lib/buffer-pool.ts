/**
 * Large reusable buffers, which two threads pass to each other. They are shared memory: the runtime counts memory that
 * moves into a thread as allocated there, and collects all of a thread's memory once 64 MB were. A batch of full load
 * moves 50 MB each way, which caused a full collection in both threads for every batch: 6 us of the collector's thread
 * and 4 us of the main thread for each event. Written by hand, because no library keeps shared memory for two threads.
 */
export interface BufferPool {
  /** At least this long; its content is undefined. */
  take(bytes: number): Buffer;
  /** The caller must not use the buffer afterwards: the other thread does. */
  give(memory: ArrayBufferLike): void;
}

/**
 * All have the size that full load needs, so that none has to grow: each step would leave shared memory behind, and
 * nothing makes the runtime collect that. The system gives only the pages that are used. More is needed by a burst, is
 * not shared, and is not kept, because it would never be freed.
 */
const KEPT_BYTES = 12 * 1024 * 1024;

/** Keeps at most `most` unused buffers. */
export function createBufferPool(most: number): BufferPool {
  const spare: SharedArrayBuffer[] = [];
  return {
    take(bytes) {
      if (most === 0 || bytes > KEPT_BYTES) return Buffer.allocUnsafeSlow(bytes);
      return Buffer.from(spare.pop() ?? new SharedArrayBuffer(KEPT_BYTES));
    },
    give(memory) {
      if (memory instanceof SharedArrayBuffer && spare.length < most) spare.push(memory);
    },
  };
}
