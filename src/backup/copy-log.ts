/**
 * The event log of a node, copied while it is being written: acknowledged events that the warehouse may not have stored
 * yet. A segment that is released during the copy is already stored. The newest segment may end within a group that is
 * not yet acknowledged.
 */
import { createWriteStream, existsSync } from "node:fs";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { listSegments, segmentPath } from "../ingest/segment-file.ts";
import { nodeFiles } from "../lib/files.ts";
import type { FileEntry } from "./manifest.ts";
import { pack, unpack } from "./packed-file.ts";
import type { Progress } from "./warehouse-files.ts";

export interface LogPlaces {
  /** The directory of segments. */
  log: string;
  /** The file with the node's id. */
  nodeId: string;
}

const DIR = "log";

export async function copyLog(
  places: LogPlaces,
  backupDir: string,
  onProgress: (progress: Progress) => void,
): Promise<FileEntry[]> {
  if (!hasLog(places)) return [];
  await mkdir(join(backupDir, DIR));
  const entries: FileEntry[] = [];
  const add = async (path: string, source: FileHandle) => void entries.push(await save(backupDir, path, source));
  const segments = await listSegments(nodeFiles, places.log);
  for (const [index, number] of segments.entries()) {
    const path = segmentPath(places.log, number);
    const source = await openIfThere(path);
    if (source !== undefined) await add(path, source);
    onProgress({ what: "segments of the event log", done: index + 1, total: segments.length });
  }
  await add(places.nodeId, await open(places.nodeId));
  return entries;
}

/**
 * Copies what has been appended since, and returns all files. After the rows: of an event that is only in them the ledger
 * of a restored copy would never hear. If the newest segment of the first copy is gone, all of it was stored, and the log
 * after it cannot be joined to the copy: the files are as they were.
 */
export async function copyAppended(
  places: LogPlaces,
  backupDir: string,
  copied: readonly FileEntry[],
): Promise<readonly FileEntry[]> {
  if (copied.length === 0) return copied;
  const segments = await listSegments(nodeFiles, places.log);
  const isCopied = (number: number) => copied.some(({ path }) => path === entryOf(segmentPath(places.log, number)));
  const newest = segments.findLastIndex(isCopied);
  if (newest === -1) return copied;
  const entries = new Map(copied.map((entry) => [entry.path, entry]));
  for (const number of segments.slice(newest)) {
    const path = segmentPath(places.log, number);
    const source = await openIfThere(path);
    // It was released since it was listed: without it those after it are of no use.
    if (source === undefined) break;
    await rm(join(backupDir, entryOf(path)), { force: true });
    const entry = await save(backupDir, path, source);
    entries.set(entry.path, entry);
  }
  return [...entries.values()];
}

const entryOf = (path: string) => `${DIR}/${basename(path)}.zst`;

async function save(backupDir: string, path: string, source: FileHandle): Promise<FileEntry> {
  const name = entryOf(path);
  return { path: name, part: "log", ...(await pack(join(backupDir, name), source.createReadStream())) };
}

export function hasLog(places: LogPlaces): boolean {
  return existsSync(places.log) && existsSync(places.nodeId);
}

/** An open file stays readable after its segment is released. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}

export async function restoreLog(backupDir: string, files: readonly FileEntry[], places: LogPlaces): Promise<void> {
  await nodeFiles.mkdir(places.log);
  for (const { path } of files) {
    const name = basename(path, ".zst");
    const target = name === basename(places.nodeId) ? places.nodeId : join(places.log, name);
    await pipeline(unpack(join(backupDir, path)), createWriteStream(target, { flags: "wx", mode: 0o600, flush: true }));
  }
  for (const dir of [places.log, dirname(places.nodeId)]) await nodeFiles.fsyncDir(dir);
}
