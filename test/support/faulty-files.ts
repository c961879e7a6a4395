import { basename } from "node:path";
import { type Log, type LogOptions, openLog } from "../../src/ingest/log.ts";
import { LOG_START, type Position } from "../../src/ingest/log-position.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type Files, type LogFile, nodeFiles } from "../../src/lib/files.ts";

export type Op = keyof Files | keyof LogFile;

/** One file operation of the log, in order. */
export interface Call {
  readonly op: Op;
  readonly file: string;
  /** Distinct for every open. */
  readonly handle: number;
  readonly offset: number;
  readonly bytes: number;
  failed: boolean;
}

/** An error code to fail with, `short` for a partial write, or undefined to let the call through. */
export type Fault = "ENOSPC" | "EIO" | "EMFILE" | "EFBIG" | "short" | undefined;

/** Called before each operation; `nth` counts the calls of its kind from 1. */
export type FaultPlan = (call: Call, nth: number) => Fault;

/** A file layer that fails as planned, without touching the disk for that call, and keeps a trace. */
export function createFaultyFiles(plan: FaultPlan, under: Files = nodeFiles): { files: Files; trace: Call[] } {
  const trace: Call[] = [];
  const counts = new Map<Op, number>();
  let handles = 0;

  async function pass<T>(call: Omit<Call, "failed">, run: (fault: Fault) => Promise<T>): Promise<T> {
    const nth = (counts.get(call.op) ?? 0) + 1;
    counts.set(call.op, nth);
    const traced: Call = { ...call, failed: false };
    trace.push(traced);
    const fault = plan(traced, nth);
    if (fault === undefined || fault === "short") return run(fault);
    traced.failed = true;
    throw Object.assign(new Error(`${fault}: injected, ${call.op}`), { code: fault });
  }

  function wrap(file: LogFile, path: string): LogFile {
    handles += 1;
    const handle = handles;
    const call = (op: Op, offset = 0, bytes = 0) => ({ op, file: basename(path), handle, offset, bytes });
    return {
      write: (bytes, offset) =>
        pass(call("write", offset, bytes.length), (fault) =>
          file.write(fault === "short" ? bytes.subarray(0, Math.ceil(bytes.length / 2)) : bytes, offset),
        ),
      fdatasync: () => pass(call("fdatasync"), () => file.fdatasync()),
      truncate: (length) => pass(call("truncate", length), () => file.truncate(length)),
      read: (into, offset) =>
        pass(call("read", offset, into.length), (fault) =>
          file.read(fault === "short" ? into.subarray(0, Math.ceil(into.length / 2)) : into, offset),
        ),
      size: () => pass(call("size"), () => file.size()),
      close: () => file.close(),
    };
  }

  const named = (op: Op, path: string) => ({ op, file: basename(path), handle: 0, offset: 0, bytes: 0 });
  const files: Files = {
    open: (path, how) => pass(named("open", path), async () => wrap(await under.open(path, how), path)),
    rename: (from, to) => pass(named("rename", from), () => under.rename(from, to)),
    unlink: (path) => pass(named("unlink", path), () => under.unlink(path)),
    readdir: (dir) => pass(named("readdir", dir), () => under.readdir(dir)),
    mkdir: (dir) => pass(named("mkdir", dir), () => under.mkdir(dir)),
    fsyncDir: (dir) => pass(named("fsyncDir", dir), () => under.fsyncDir(dir)),
  };
  return { files, trace };
}

const SECTOR = 512;

interface Inode {
  seen: Buffer;
  synced: Buffer;
}

/** A disk in memory whose power can be cut: only synced data is sure to survive. */
export interface MemoryDisk {
  readonly files: Files;
  /**
   * The disk after a power cut: `coin` decides for each unsynced sector of 512 bytes, file size and directory entry
   * whether it survives; always heads is the state after a kill of the process. The old disk keeps working separately.
   */
  cutPower(coin: () => boolean): MemoryDisk;
}

export function createMemoryDisk(
  entries = new Map<string, Inode>(),
  syncedEntries = new Map<string, Inode>(entries),
): MemoryDisk {
  const files: Files = {
    async open(path, how) {
      let inode = entries.get(path);
      if (inode === undefined && how !== "create")
        throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
      inode ??= { seen: Buffer.alloc(0), synced: Buffer.alloc(0) };
      if (how === "create") inode.seen = Buffer.alloc(0);
      entries.set(path, inode);
      return openInode(inode);
    },
    async rename(from, to) {
      const inode = entries.get(from);
      if (inode !== undefined) entries.set(to, inode);
      entries.delete(from);
    },
    async unlink(path) {
      entries.delete(path);
    },
    readdir: async () => [...entries.keys()].map((path) => basename(path)),
    mkdir: async () => undefined,
    async fsyncDir() {
      syncedEntries.clear();
      for (const [path, inode] of entries) syncedEntries.set(path, inode);
    },
  };
  return {
    files,
    cutPower(coin) {
      const left = new Map<string, Inode>();
      for (const path of new Set([...entries.keys(), ...syncedEntries.keys()])) {
        const [seen, synced] = [entries.get(path), syncedEntries.get(path)];
        const inode = seen === synced || coin() ? seen : synced;
        if (inode !== undefined) left.set(path, settleInode(inode, coin));
      }
      return createMemoryDisk(left);
    },
  };
}

function openInode(inode: Inode): LogFile {
  return {
    async write(bytes, offset) {
      if (inode.seen.length < offset + bytes.length) inode.seen = resize(inode.seen, offset + bytes.length);
      inode.seen.set(bytes, offset);
      return bytes.length;
    },
    async fdatasync() {
      inode.synced = Buffer.from(inode.seen);
    },
    async truncate(length) {
      inode.seen = resize(inode.seen, length);
    },
    async read(into, offset) {
      const part = inode.seen.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
    size: async () => inode.seen.length,
    close: async () => undefined,
  };
}

function settleInode({ seen, synced }: Inode, coin: () => boolean): Inode {
  const size = coin() ? seen.length : synced.length;
  const content = Buffer.alloc(size);
  for (let at = 0; at < size; at += SECTOR) {
    content.set((coin() ? seen : synced).subarray(at, Math.min(at + SECTOR, size)), at);
  }
  return { seen: content, synced: Buffer.from(content) };
}

function resize(bytes: Buffer, length: number): Buffer {
  return Buffer.concat([bytes.subarray(0, length)], length);
}

/** A log with small segments and no output. */
export interface TestLog extends Log {
  /** As `write`. Resolves when the record is on disk. */
  append(payload: Uint8Array | readonly Uint8Array[], workspaceId?: string, weighs?: number): Promise<Position>;
}

export async function openTestLog(dir: string, over: Partial<LogOptions> = {}): Promise<TestLog> {
  const log = await openLog({ dir, files: nodeFiles, clock: systemClock, logger: { warn: () => undefined }, ...over });
  return Object.assign(log, {
    append: (payload: Uint8Array | readonly Uint8Array[], workspaceId?: string, weighs?: number) =>
      new Promise<Position>((resolve, reject) => {
        const parts = payload instanceof Uint8Array ? [payload] : payload;
        log.write(parts, (cause, at) => (cause === undefined ? resolve(at) : reject(cause)), workspaceId, weighs);
      }),
  });
}

/** The text of every record from a position on, read in small steps. */
export async function readTexts(log: Log, from: Position = LOG_START, maxBytes = 4096): Promise<string[]> {
  const texts: string[] = [];
  for (let at = from; ; ) {
    const { records, next } = await log.read(at, { maxBytes, maxRecords: 100 });
    if (records.length === 0) return texts;
    texts.push(...records.map((record) => record.payload.toString()));
    at = next;
  }
}
