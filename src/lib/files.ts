import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDir } from "./sync-dir.ts";

/**
 * The few file operations of the event log, injected so that a test can fail the Nth one. FileHandle and the callback
 * API cost the same within noise (about 70 us of CPU for a write and an fdatasync of 1 KB). FileHandle cannot close a
 * descriptor that was reused for another file in the meantime.
 */
export interface Files {
  /** `create` creates an empty file and truncates an existing one. */
  open(path: string, how: "create" | "update" | "read"): Promise<LogFile>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  readdir(dir: string): Promise<string[]>;
  /** Creates the directory and its parents, and makes their entries durable. */
  mkdir(dir: string): Promise<void>;
  /** Makes names that were created, renamed or removed in the directory durable. */
  fsyncDir(dir: string): Promise<void>;
}

export interface LogFile {
  /** Returns the number of bytes written, which may be fewer than given. */
  write(bytes: Uint8Array, offset: number): Promise<number>;
  fdatasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  read(into: Uint8Array, offset: number): Promise<number>;
  size(): Promise<number>;
  close(): Promise<void>;
}

const FLAGS = {
  create: constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC,
  update: constants.O_RDWR,
  read: constants.O_RDONLY,
} as const;

export const nodeFiles: Files = {
  // Events may hold personal data, so only the service's own user may read their files.
  open: async (path, how) => fromHandle(await open(path, FLAGS[how], 0o600)),
  rename,
  unlink,
  readdir: (dir) => readdir(dir),
  async mkdir(dir) {
    const first = await mkdir(dir, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    // Each new directory is an entry of its parent, so the parent is synced.
    for (let made = dir; ; made = dirname(made)) {
      await syncDir(dirname(made));
      if (made === first || made === dirname(made)) return;
    }
  },
  fsyncDir: syncDir,
};

function fromHandle(handle: FileHandle): LogFile {
  return {
    write: async (bytes, offset) => (await handle.write(bytes, 0, bytes.length, offset)).bytesWritten,
    fdatasync: () => handle.datasync(),
    truncate: (length) => handle.truncate(length),
    read: async (into, offset) => (await handle.read(into, 0, into.length, offset)).bytesRead,
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
}

/** A short write is not a failure: the rest is written next, and a full disk then fails that write. */
export async function writeFully(file: LogFile, bytes: Uint8Array, offset: number): Promise<void> {
  let done = await file.write(bytes, offset);
  while (done < bytes.length) {
    const more = await file.write(bytes.subarray(done), offset + done);
    if (more === 0) throw new Error("the disk takes no more bytes and does not say why");
    done += more;
  }
}

/** Reads until `into` is full or the file ends. Returns the number of bytes read. */
export async function readFully(file: LogFile, into: Uint8Array, offset: number): Promise<number> {
  let done = 0;
  while (done < into.length) {
    const more = await file.read(into.subarray(done), offset + done);
    if (more === 0) break;
    done += more;
  }
  return done;
}
