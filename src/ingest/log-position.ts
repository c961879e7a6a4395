/** A position between two records. Positions are totally ordered, and a position is never reused for other data. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

/** Before every record: segments are numbered from 1. */
export const LOG_START: Position = { segment: 0, offset: 0 };

/** Below zero when `a` is first. */
export function comparePositions(a: Position, b: Position): number {
  return a.segment - b.segment || a.offset - b.offset;
}
