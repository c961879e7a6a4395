/** A place between two records. Positions are totally ordered, and one that was handed out never comes back for other data. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

/** Before everything: segments are numbered from 1. */
export const LOG_START: Position = { segment: 0, offset: 0 };

/** Below zero when `a` comes first. */
export function comparePositions(a: Position, b: Position): number {
  return a.segment - b.segment || a.offset - b.offset;
}
