/**
 * The event log of a node, copied while it is written: what a 200 was given for and the warehouse may not have yet.
 *
 * The segments come first and the cursor last, so that everything below the cursor was in the warehouse before the warehouse is
 * read, and whatever lies beyond it is in the copied segments. What is in both counts once, by its message_id. A segment that is
 * released under our hands lies below that cursor. The newest one may be cut in the middle of a group that nobody was told of.
 */
import { createWriteStream, existsSync } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { nodeFiles } from "../lib/files.ts";
import { listSegments, segmentPath } from "../ingest/segment-file.ts";
import type { FileEntry } from "./manifest.ts";
import { pack, unpack } from "./packed-file.ts";
import type { Progress } from "./warehouse-files.ts";

export interface LogPlaces {
  /** The directory of segments. */
  log: string;
  cursor: string;
  nodeId: string;
}

const DIR = "log";

export async function copyLog(
  places: LogPlaces,
  backupDir: string,
  onProgress: (progress: Progress) => void,
): Promise<FileEntry[]> {
  if (!existsSync(places.log) || !existsSync(places.cursor)) return [];
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
  for (const path of [places.nodeId, places.cursor]) await add(path, await open(path));
  return entries;
}

/** Once it is open, a release takes nothing from us. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}

export async function restoreLog(backupDir: string, files: readonly FileEntry[], places: LogPlaces): Promise<void> {
  await mkdir(places.log, { recursive: true, mode: 0o700 });
  const named = new Map([places.cursor, places.nodeId].map((path) => [basename(path), path]));
  for (const { path } of files) {
    const name = basename(path, ".zst");
    const target = named.get(name) ?? join(places.log, name);
    await pipeline(unpack(join(backupDir, path)), createWriteStream(target, { flags: "wx", mode: 0o600, flush: true }));
  }
}
