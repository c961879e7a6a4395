import { LogCorrupt } from "./log-errors.ts";
import type { Position } from "./log-position.ts";
import { type FoundRecord, findRecord, SEGMENT_HEADER_BYTES, type SegmentHeader } from "./segment-format.ts";

export interface Segment extends SegmentHeader {
  readonly path: string;
  /** What lies below it is synced; grows only in the segment that is written. */
  end: number;
}

export function endOf(segment: Segment): Position {
  return { segment: segment.number, offset: segment.end };
}

/** Has it ever taken a record? */
export function isFilled(segment: Segment): boolean {
  return segment.end > SEGMENT_HEADER_BYTES;
}

/**
 * Finds the end of the newest segment, the only one whose end is not written down: 64 MiB take about 80 ms.
 *
 * The first record that does not check is the torn end of a group that was never acknowledged, or damage to one that was.
 * "Nothing valid behind it" does not tell them apart: a power cut may keep the later pages of a group and lose its first.
 * So each record says where its group began, and a group is written only when all before it was synced. A sound record behind
 * the bad one whose group began behind it too proves that the bad one was once synced: damage. Otherwise it is a tail to cut,
 * and what is in it was never acknowledged.
 *
 * What this cannot see is damage within the very last group, while nothing was written after it.
 */
export function findEnd(content: Buffer, segment: Pick<Segment, "number" | "salt" | "path">): number {
  let end = SEGMENT_HEADER_BYTES;
  let found: FoundRecord;
  for (;;) {
    found = findRecord(content, end, { segment, offset: end });
    if (found.kind !== "record") break;
    end += found.bytes;
  }
  const proof = findSurvivor(content, segment, end);
  if (proof !== undefined) {
    throw new LogCorrupt(
      segment.path,
      end,
      `a stored record does not check although later ones do (byte ${proof}); restore the file from a backup, or move it away and lose its events`,
    );
  }
  return end;
}

/** The first sound record behind `bad` whose group was written when `bad` had been synced. */
function findSurvivor(content: Buffer, segment: Pick<Segment, "number" | "salt">, bad: number): number | undefined {
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(segment.salt);
  for (let at = content.indexOf(mark, bad + 1); at !== -1; ) {
    const found = findRecord(content, at, { segment, offset: at });
    if (found.kind === "record" && found.groupStart > bad) return at;
    at = content.indexOf(mark, found.kind === "record" ? at + found.bytes : at + 1);
  }
  return undefined;
}
