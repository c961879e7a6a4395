/** Two linear scales: d3-scale would bring five packages for them (15 kB). */
import { nice, ticks } from "d3-array";

export interface Axis {
  ticks: readonly number[];
  /** A value's place between 0 (bottom) and 1 (top). */
  place: (value: number) => number;
}

const TICKS = 4;

/** An axis from 0, or from below where there are negative values, to a round number. */
export function valueAxis(values: Iterable<number>, whole: boolean): Axis {
  let [low, high] = [0, 0];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (high === low) high = low + 1;
  if (whole && high < TICKS) high = TICKS;
  const [start, stop] = nice(low, high, TICKS);
  return { ticks: ticks(start, stop, TICKS), place: (value) => (value - start) / (stop - start) };
}

/** Indexes of labels that fit, the last one included where there is room. */
export function labelIndexes(count: number, width: number, labelWidth: number): number[] {
  const most = Math.max(1, Math.floor(width / labelWidth));
  const step = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
}
