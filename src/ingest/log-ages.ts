import { comparePositions, type Position } from "./log-position.ts";

/** One mark a second shows precisely enough how far the reader is behind. */
const STEP_MS = 1000;
/** 17 minutes at full resolution. A longer outage has half the resolution, then a quarter. */
const MAX_MARKS = 1024;

interface Mark {
  /** Everything between the previous mark and this one was appended at `atMs` or later. */
  end: Position;
  readonly atMs: number;
}

/** Remembers when the unreleased data of the log was appended. */
export interface Ages {
  add(end: Position, atMs: number): void;
  release(upTo: Position): void;
  oldestMs(): number | undefined;
}

export function createAges(): Ages {
  let marks: Mark[] = [];
  return {
    add(end, atMs) {
      const last = marks.at(-1);
      if (last !== undefined && atMs - last.atMs < STEP_MS) {
        last.end = end;
        return;
      }
      marks.push({ end, atMs });
      if (marks.length > MAX_MARKS) marks = thin(marks);
    },
    release(upTo) {
      const kept = marks.findIndex((mark) => comparePositions(mark.end, upTo) > 0);
      marks = kept === -1 ? [] : marks.slice(kept);
    },
    oldestMs: () => marks[0]?.atMs,
  };
}

/** Merges pairs of marks; each keeps the older time. */
function thin(marks: readonly Mark[]): Mark[] {
  return marks.flatMap((mark, i) => (i % 2 === 0 ? [{ end: marks[i + 1]?.end ?? mark.end, atMs: mark.atMs }] : []));
}
