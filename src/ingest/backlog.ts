import type { Files } from "../lib/files.ts";
import type { Position } from "./log-position.ts";
import { readLog } from "./log-read.ts";
import { decodeRequest } from "./logged-request.ts";
import { listSegments, readHeader } from "./segment-file.ts";
import type { Segment } from "./segment-scan.ts";

/** The unread part of an event log, determined from outside its process. */
export interface Backlog {
  bytes: number;
  /** When its first event was received; undefined if there is none. */
  oldestMs: number | undefined;
}

/** `done` is the engine's position. Nothing is written. A group that is being appended may be missed. */
export async function readBacklog(files: Files, dir: string, done: Position): Promise<Backlog> {
  const segments: Segment[] = [];
  for (const number of await listSegments(files, dir)) {
    const { header, path, size } = await readHeader(files, dir, number);
    if (header !== undefined && number >= done.segment) segments.push({ ...header, path, end: size });
  }
  const bytes = segments.reduce(
    (sum, { number, end }) => sum + Math.max(0, end - (number === done.segment ? done.offset : 0)),
    0,
  );
  const last = segments.at(-1);
  if (last === undefined || done.segment > last.number || (done.segment === last.number && done.offset >= last.end))
    return { bytes: 0, oldestMs: undefined };
  const { records } = await readLog(files, segments, done, { maxBytes: 1, maxRecords: 1 });
  const [first] = records;
  return { bytes, oldestMs: first && decodeRequest(first.payload).request.receivedAtMs };
}
