import { LogCorrupt } from "./log-errors.ts";
import type { Position } from "./log-position.ts";
import { type FoundRecord, findRecord, SEGMENT_HEADER_BYTES, type SegmentHeader } from "./segment-format.ts";

export interface Segment extends SegmentHeader {
  readonly path: string;
  /** Everything below it is synced. It grows only in the current segment. */
  end: number;
}

export function endOf(segment: Segment): Position {
  return { segment: segment.number, offset: segment.end };
}

/** Whether it ever contained a record. */
export function isFilled(segment: Segment): boolean {
  return segment.end > SEGMENT_HEADER_BYTES;
}

/**
 * Finds the end of the newest segment, the only one whose end is not recorded: 64 MiB take about 80 ms.
 *
 * The first record that fails its check is either the torn end of a group that was never acknowledged, or damage to an
 * acknowledged one. "No valid record after it" does not distinguish them: a power cut may keep the later pages of a
 * group and lose its first. So each record stores where its group began, and a group is written only when everything
 * before it is synced. A valid record after the bad one whose group also began after it proves that the bad one was
 * synced once: damage. Otherwise it is a torn tail to cut, and nothing in it was acknowledged.
 *
 * Damage within the very last group, with nothing written after it, cannot be detected.
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

/** The first valid record after `bad` whose group was written after `bad` had been synced. */
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
