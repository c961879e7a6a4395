/**
 * The event log of a node, copied while it is being written: acknowledged events that the warehouse may not have stored
 * yet. A segment that is released during the copy is already stored. The newest segment may end within a group that is
 * not yet acknowledged.
 */
import { createWriteStream, existsSync } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
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
  const add = async (path: string, source: FileHandle) => {
    const name = `${DIR}/${basename(path)}.zst`;
    entries.push({ path: name, part: "log", ...(await pack(join(backupDir, name), source.createReadStream())) });
  };
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
