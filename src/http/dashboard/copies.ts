import { readFile } from "node:fs/promises";
import { createSemaphore } from "../../lib/semaphore.ts";
import { compress, type Encoding } from "./compress.ts";

/** All copies of the built dashboard are 0.8 MB. */
const MOST_BYTES = 4_000_000;

/** The compressed copy of a file. */
export type FindCopy = (path: string, encoding: Encoding) => Promise<Buffer>;

/**
 * Makes a copy at the first request for it and keeps it in memory; requests that come meanwhile wait for the same one.
 * One at a time: the event log needs the other threads of libuv for its fsync.
 */
export function createCopies(makeCopy: FindCopy = compressFile, mostBytes = MOST_BYTES): FindCopy {
  const copies = new Map<string, Promise<Buffer>>();
  const slots = createSemaphore({ perKey: 1 });
  let keptBytes = 0;

  async function make(path: string, encoding: Encoding): Promise<Buffer> {
    const release = await slots.acquire("compress");
    try {
      return await makeCopy(path, encoding);
    } finally {
      release();
    }
  }

  return async (path, encoding) => {
    const key = `${encoding} ${path}`;
    const known = copies.get(key);
    if (known !== undefined) return known;
    const made = make(path, encoding);
    copies.set(key, made);
    let isKept = false;
    try {
      const { length } = await made;
      isKept = keptBytes + length <= mostBytes;
      if (isKept) keptBytes += length;
    } finally {
      if (!isKept) copies.delete(key);
    }
    return made;
  };
}

async function compressFile(path: string, encoding: Encoding): Promise<Buffer> {
  return compress(await readFile(path), encoding, "quick");
}
