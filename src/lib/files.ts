import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * The few calls through which the log touches the disk, injected so that a test can fail the Nth one. FileHandle and the
 * callback API cost the same within noise (about 70 us of CPU for a write and an fdatasync of 1 KB); FileHandle cannot close
 * a descriptor that meanwhile belongs to somebody else.
 */
export interface Files {
  /** `create` makes the file anew, empty even when it was there. */
  open(path: string, how: "create" | "update" | "read"): Promise<LogFile>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  readdir(dir: string): Promise<string[]>;
  /** Makes the directory and those above it, and their entries durable. */
  mkdir(dir: string): Promise<void>;
  /** Names that were made, renamed or removed in it are on disk afterwards. */
  fsyncDir(dir: string): Promise<void>;
}

export interface LogFile {
  /** How many bytes were taken, which may be fewer than given. */
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
  // Events may hold personal data, so their files are for the service's own user.
  open: async (path, how) => fromHandle(await open(path, FLAGS[how], 0o600)),
  rename,
  unlink,
  readdir: (dir) => readdir(dir),
  async mkdir(dir) {
    const first = await mkdir(dir, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    // Every directory that was made is an entry of the one above it.
    for (let made = dir; ; made = dirname(made)) {
      await fsyncDir(dirname(made));
      if (made === first || made === dirname(made)) return;
    }
  },
  fsyncDir,
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

async function fsyncDir(dir: string): Promise<void> {
  const handle = await open(dir, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A short write is no failure: the rest is written next, and a disk that is really full then says so. */
export async function writeFully(file: LogFile, bytes: Uint8Array, offset: number): Promise<void> {
  let done = await file.write(bytes, offset);
  while (done < bytes.length) {
    const more = await file.write(bytes.subarray(done), offset + done);
    if (more === 0) throw new Error("the disk takes no more bytes and does not say why");
    done += more;
  }
}

/** Reads until `into` is full or the file ends; the bytes that were read. */
export async function readFully(file: LogFile, into: Uint8Array, offset: number): Promise<number> {
  let done = 0;
  while (done < into.length) {
    const more = await file.read(into.subarray(done), offset + done);
    if (more === 0) break;
    done += more;
  }
  return done;
}
