import { randomInt } from "node:crypto";
import { join } from "node:path";
import { type Files, type LogFile, readFully, writeFully } from "../lib/files.ts";
import { LogCorrupt } from "./log-errors.ts";
import {
  decodeSegmentHeader,
  encodeSegmentHeader,
  MAX_PAYLOAD_BYTES,
  MAX_SEGMENT_BYTES,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
} from "./segment-format.ts";
import { findEnd, type Segment } from "./segment-scan.ts";

const NAME = /^(\d{12})\.log$/;

export function segmentPath(dir: string, number: number): string {
  return join(dir, `${String(number).padStart(12, "0")}.log`);
}

/** The segment numbers of a directory, oldest first. */
export async function listSegments(files: Files, dir: string): Promise<number[]> {
  const names = await files.readdir(dir);
  return names
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

export interface OpenSegment {
  readonly segment: Segment;
  readonly file: LogFile;
}

/**
 * Header and directory entry are on disk when this returns. From its first call on, the previous segment must not grow:
 * its end is written here. A failed attempt may leave the file; the next one overwrites it.
 */
export async function createSegment(
  files: Files,
  dir: string,
  header: Omit<SegmentHeader, "salt">,
): Promise<OpenSegment> {
  const salted = { ...header, salt: randomInt(1, 2 ** 32) };
  const path = segmentPath(dir, header.number);
  const file = await files.open(path, "create");
  try {
    await writeFully(file, encodeSegmentHeader(salted), 0);
    await file.fdatasync();
    await files.fsyncDir(dir);
  } catch (cause) {
    await file.close();
    throw cause;
  }
  return { segment: { ...salted, path, end: SEGMENT_HEADER_BYTES }, file };
}

/**
 * Cuts off unsynced bytes and checks the result: a truncate that had no effect would leave refused records in place.
 */
export async function cutTo(file: LogFile, length: number): Promise<void> {
  await file.truncate(length);
  await file.fdatasync();
  const size = await file.size();
  if (size !== length) throw new Error(`the file was cut to ${length} bytes but has ${size}`);
}

/**
 * 50 ms of full load (20,000 records of 1 KB a second). A smaller probe might succeed although the next group would
 * fail.
 */
const PROBE = Buffer.alloc(1024 * 1024);

/** Writes and syncs zeros after the end and removes them: the only reliable sign that a disk works again. */
export async function proveWritable(file: LogFile, end: number): Promise<void> {
  await writeFully(file, PROBE, end);
  await file.fdatasync();
  await cutTo(file, end);
}

export interface FoundSegment {
  readonly number: number;
  readonly path: string;
  readonly size: number;
  /** Undefined if its creation was interrupted: no record of it was ever accepted. */
  readonly header: SegmentHeader | undefined;
}

export async function readHeader(files: Files, dir: string, number: number): Promise<FoundSegment> {
  const path = segmentPath(dir, number);
  const file = await files.open(path, "read");
  try {
    const size = await file.size();
    const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
    const header = decodeSegmentHeader(bytes.subarray(0, await readFully(file, bytes, 0)));
    if (header === "newer") throw new LogCorrupt(path, 0, "it was written by a newer version of the service");
    if (header === undefined && size > SEGMENT_HEADER_BYTES) throw new LogCorrupt(path, 0, "its header does not check");
    if (header !== undefined && header.number !== number) {
      throw new LogCorrupt(path, 16, `it is segment ${header.number} under another name`);
    }
    return { number, path, size, header };
  } finally {
    await file.close();
  }
}

/** Opens the newest segment for writing: scans it, cuts its torn tail, and syncs the rest. */
export async function reopenSegment(
  files: Files,
  found: FoundSegment & { readonly header: SegmentHeader },
): Promise<OpenSegment & { readonly cutBytes: number }> {
  if (found.size > MAX_SEGMENT_BYTES + MAX_PAYLOAD_BYTES) {
    throw new LogCorrupt(found.path, MAX_SEGMENT_BYTES, `its ${found.size} bytes are more than a segment holds`);
  }
  const file = await files.open(found.path, "update");
  try {
    const content = Buffer.allocUnsafeSlow(found.size);
    const read = await readFully(file, content, 0);
    const segment: Segment = { ...found.header, path: found.path, end: 0 };
    segment.end = findEnd(content.subarray(0, read), segment);
    // After kill -9 the last writes may be only in the page cache. Readers treat them as synced, so they are synced
    // now.
    if (found.size > segment.end) await cutTo(file, segment.end);
    else await file.fdatasync();
    return { segment, file, cutBytes: found.size - segment.end };
  } catch (cause) {
    await file.close();
    throw cause;
  }
}
