/**
 * After a loss of power the write-ahead log may end in room that was reserved and never written: zeros, where the last
 * transaction should be. DuckDB accepts a log that ends within an entry, but refuses such a one, and the warehouse could
 * not be opened. Whatever was acknowledged was synced before, so the log is cut where that room begins. What is damaged
 * otherwise is left alone: then the start fails, as before.
 */
import { closeSync, copyFileSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync } from "node:fs";

const REFUSED = /Corrupt WAL file: entry at byte position (\d+) computed checksum/;
/** Before the position that DuckDB names: the size and the checksum of the entry. */
const HEAD_BYTES = 16;
const SIZE_BYTES = 8;
/** A disk writes no less at once. */
const SECTOR_BYTES = 512;

/** Cuts the log of the file that DuckDB refused for this cause. False: not for this reason. */
export function cutUnwritten(path: string, cause: unknown): boolean {
  const [, position] = REFUSED.exec(cause instanceof Error ? cause.message : "") ?? [];
  if (position === undefined) return false;
  const wal = `${path}.wal`;
  const start = Number(position) - HEAD_BYTES;
  const file = openSync(wal, "r+");
  try {
    if (!hasUnwritten(file, start)) return false;
    // For whoever wants to know what it was.
    copyFileSync(wal, `${wal}.damaged`);
    ftruncateSync(file, start);
    fsyncSync(file);
    return true;
  } finally {
    closeSync(file);
  }
}

/**
 * A sector of the entry is zeros, or the rest of the first one. Those behind the entry say nothing of it: columns are often
 * zeros, and an entry whose bytes have changed is not to be cut off with all that was acknowledged after it.
 */
function hasUnwritten(file: number, start: number): boolean {
  const size = fstatSync(file).size;
  const sector = Buffer.alloc(SECTOR_BYTES);
  for (let at = start, last = endOfEntry(file, start, size); at < last; ) {
    const end = Math.min(size, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES);
    const read = readSync(file, sector, 0, end - at, at);
    if (sector.subarray(0, read).every((byte) => byte === 0)) return true;
    at = end;
  }
  return false;
}

/** No entry has the size 0: such a one was never written. */
function endOfEntry(file: number, start: number, size: number): number {
  const head = Buffer.alloc(SIZE_BYTES);
  readSync(file, head, 0, SIZE_BYTES, start);
  const entryBytes = Number(head.readBigUInt64LE());
  return entryBytes === 0 ? size : Math.min(size, start + HEAD_BYTES + entryBytes);
}
