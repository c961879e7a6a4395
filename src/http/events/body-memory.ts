/**
 * Memory for bodies that arrive in several pieces, used again for the next ones. Node gives each piece of up to 64 KB
 * memory of its own. Held until the whole body was there, at full load it outlived the young generation, and a full
 * garbage collection had to free it every second.
 */
export interface BodyMemory {
  /** At least this long, and from 1 KiB on at most twice; its content is undefined. */
  take(bytes: number): Buffer<ArrayBuffer>;
  /** The caller must not use it afterwards. */
  give(memory: Buffer<ArrayBuffer>): void;
  /** Frees what was not needed since the last call. */
  trim(): void;
}

const KIB = 1024;
export const LARGEST_BYTES = 256 * KIB;
const KEPT_SIZES = [16, 32, 48, 64, 96, 128, 192, 256].map((size) => size * KIB);
/** Smaller ones are rarely taken, and are not kept. */
const SMALLEST_KEPT = 8 * KIB;

export function createBodyMemory(): BodyMemory {
  const kept = KEPT_SIZES.map((size) => ({ size, spare: [] as Buffer<ArrayBuffer>[], unneeded: 0 }));
  return {
    take(bytes) {
      const shelf = bytes < SMALLEST_KEPT ? undefined : kept.find(({ size }) => size >= bytes);
      if (shelf === undefined) return Buffer.allocUnsafeSlow(Math.max(bytes, KIB));
      const memory = shelf.spare.pop() ?? Buffer.allocUnsafeSlow(shelf.size);
      shelf.unneeded = Math.min(shelf.unneeded, shelf.spare.length);
      return memory;
    },
    give(memory) {
      kept.find(({ size }) => size === memory.length)?.spare.push(memory);
    },
    trim() {
      for (const shelf of kept) {
        // At once: the next full garbage collection may be minutes away.
        for (const { buffer } of shelf.spare.splice(0, shelf.unneeded)) buffer.transfer(0);
        shelf.unneeded = shelf.spare.length;
      }
    },
  };
}
