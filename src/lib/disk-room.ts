import { statfs } from "node:fs/promises";

/** A disk fills within seconds at worst; asking takes 20 us and a thread of the pool. */
const ASK_EVERY_MS = 2_000;

/**
 * Whether the disk of a directory has more than `reserveBytes` free. A file system that does not say so counts as
 * having.
 */
export function createDiskRoom(dir: string, reserveBytes: number): () => Promise<boolean> {
  let known: Promise<boolean> | undefined;
  let askedAtMs = 0;
  return () => {
    if (known === undefined || performance.now() - askedAtMs > ASK_EVERY_MS) {
      askedAtMs = performance.now();
      known = hasRoom(dir, reserveBytes);
    }
    return known;
  };
}

async function hasRoom(dir: string, reserveBytes: number): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize > reserveBytes;
  } catch {
    return true;
  }
}
