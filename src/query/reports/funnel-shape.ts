/** What the two forms of a funnel's statement have in common. */

export interface FunnelShape {
  /** How many. */
  readonly steps: number;
  readonly isOpen: boolean;
  /** Undefined: all users together. */
  readonly groupBy: string | undefined;
  readonly touch: "first_touch" | "last_touch";
}

/** Of an even number of users: the mean of the two in the middle. */
export function medianSeconds(since: string, name: string): string {
  const elapsed = `toInt64(${toMs("last_moment")}) - toInt64(${toMs(since)})`;
  return `(medianExactLow(${elapsed}) + medianExactHigh(${elapsed})) / 2000 AS ${name}`;
}

/** The time of a moment. */
export function toMs(moment: string): string {
  return `intDiv(${moment}, 1048576)`;
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
