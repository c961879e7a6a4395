import { type Files, readFully } from "../lib/files.ts";
import { LogCorrupt } from "./log-errors.ts";
import { comparePositions, type Position } from "./log-position.ts";
import { checkOf, findRecord, RECORD_HEADER_BYTES, SEGMENT_HEADER_BYTES } from "./segment-format.ts";
import { endOf, type Segment } from "./segment-scan.ts";

export interface LogRecord {
  /** A view into the buffer of its read, which lives as long as the view. */
  readonly payload: Buffer;
  /** Its checksum, salted by segment and offset. It tells this record from any other at this position of any log. */
  readonly check: number;
  /** What it counts for in the limits of a read. */
  readonly size: number;
  readonly position: Position;
  readonly next: Position;
}

export interface ReadLimits {
  /** Bytes of payload, as `sizeOf` counts them. A single larger record is still returned, alone. */
  readonly maxBytes: number;
  readonly maxRecords: number;
  /** What a record counts for. Default: the length of its payload. */
  readonly sizeOf?: (payload: Buffer) => number;
  /** Returns memory of at least that length to read into. Default: a new buffer. */
  readonly allocate?: (bytes: number) => Buffer;
}

export interface ReadResult {
  readonly records: LogRecord[];
  /** The position to continue from. It passes the end of a finished segment even without a record. */
  readonly next: Position;
}

/**
 * `segments` is the live list. Bytes beyond a segment's `end` at the time of the call are not synced and are not read.
 */
export async function readLog(
  files: Files,
  segments: readonly Segment[],
  from: Position,
  limits: ReadLimits,
): Promise<ReadResult> {
  const last = segments.at(-1);
  if (last !== undefined && comparePositions(from, endOf(last)) > 0) {
    throw new RangeError(
      `there is no position ${from.segment}:${from.offset} in the log: it ends at ${last.number}:${last.end}`,
    );
  }
  const records: LogRecord[] = [];
  let next = from;
  let bytes = 0;
  // A copy, because segments may be released or created while this waits for the disk.
  for (const segment of segments.filter((each) => each.number >= from.segment)) {
    const offset = segment.number === from.segment ? Math.max(from.offset, SEGMENT_HEADER_BYTES) : SEGMENT_HEADER_BYTES;
    const room = { ...limits, maxBytes: limits.maxBytes - bytes, maxRecords: limits.maxRecords - records.length };
    if (records.length > 0 && (room.maxBytes <= 0 || room.maxRecords <= 0)) break;
    const end = segment.end;
    next = { segment: segment.number, offset };
    if (offset >= end) continue;
    for (const record of await readSegment(files, segment, { offset, end }, room, records.length > 0)) {
      records.push(record);
      bytes += record.size;
      next = record.next;
    }
    if (next.offset < end) break;
  }
  return { records, next };
}

interface Range {
  readonly offset: number;
  readonly end: number;
}

/**
 * Opens the file for each read: 0.1 ms next to a batch of megabytes, and no descriptor leaks when the segment is
 * released.
 */
async function readSegment(
  files: Files,
  segment: Segment,
  range: Range,
  limits: ReadLimits,
  mayBeEmpty: boolean,
): Promise<LogRecord[]> {
  const file = await files.open(segment.path, "read");
  try {
    let want = Math.max(limits.maxBytes, 0) + RECORD_HEADER_BYTES;
    for (;;) {
      const length = Math.min(want, range.end - range.offset);
      const chunk = (limits.allocate?.(length) ?? Buffer.allocUnsafeSlow(length)).subarray(0, length);
      const read = await readFully(file, chunk, range.offset);
      if (read < chunk.length)
        throw new LogCorrupt(segment.path, range.offset + read, "the file ends before its records do");
      const { records, needs } = parseChunk(chunk, segment, range, limits, mayBeEmpty);
      if (records.length > 0 || mayBeEmpty) return records;
      want = needs;
    }
  } finally {
    await file.close();
  }
}

function parseChunk(chunk: Buffer, segment: Segment, range: Range, limits: ReadLimits, mayBeEmpty: boolean) {
  const records: LogRecord[] = [];
  let at = 0;
  let room = limits.maxBytes;
  let needs = RECORD_HEADER_BYTES;
  while (at < chunk.length && records.length < Math.max(limits.maxRecords, 1)) {
    const offset = range.offset + at;
    const found = findRecord(chunk, at, { segment, offset });
    if (found.kind === "bad" || offset + found.bytes > range.end) {
      throw new LogCorrupt(segment.path, offset, "a stored record does not check");
    }
    needs = found.bytes;
    if (found.kind === "cut") break;
    const payload = chunk.subarray(at + RECORD_HEADER_BYTES, at + found.bytes);
    const size = limits.sizeOf?.(payload) ?? payload.length;
    room -= size;
    if (room < 0 && (records.length > 0 || mayBeEmpty)) break;
    records.push({
      payload,
      check: checkOf(chunk, at),
      size,
      position: { segment: segment.number, offset },
      next: { segment: segment.number, offset: offset + found.bytes },
    });
    at += found.bytes;
  }
  return { records, needs };
}
