/** Whether a value meets the condition of an alert. Pure: the evaluation and the preview call it. */

import { METRIC_LIMITS } from "../../contract/metric-alerts.ts";
import type { Condition, Direction } from "./metric.ts";

/** `learning`: not enough weeks yet. `no_data`: no value, or nothing to compare it with. */
export type Verdict = "met" | "unmet" | "no_data" | "learning";

export interface Judged {
  readonly verdict: Verdict;
  readonly value: number | null;
  /** A value below it meets the condition. */
  readonly lower?: number;
  /** A value above it meets the condition. */
  readonly upper?: number;
  /** Why there is no verdict. */
  readonly reason?: string;
}

/** The values that a condition compares with: of the window before, or of the same window of earlier weeks. */
export type Compared = readonly (number | null)[];

export function judge(condition: Condition, value: number | null, compared: Compared): Judged {
  if (value === null) return { verdict: "no_data", value, reason: "there is nothing to compute the number of" };
  switch (condition.kind) {
    case "above":
      return within(value, { upper: condition.threshold });
    case "below":
      return within(value, { lower: condition.threshold });
    case "no_data":
      return within(value, { lower: 1 });
    case "changed": {
      const [before] = compared;
      if (before === undefined || before === null || before === 0)
        return { verdict: "no_data", value, reason: "the window to compare with has no number, or 0" };
      return within(value, boundsOf(before, (Math.abs(before) * condition.percent) / 100, condition));
    }
    case "unusual": {
      const history = compared.filter((one) => one !== null);
      const { least } = METRIC_LIMITS.weeks;
      if (history.length < least)
        return { verdict: "learning", value, reason: `${history.length} of at least ${least} weeks of history` };
      const { middle, spread } = robust(history);
      return within(value, boundsOf(middle, condition.score * spread, condition));
    }
  }
}

function within(value: number, { lower, upper }: { lower?: number; upper?: number }): Judged {
  const isMet = (upper !== undefined && value > upper) || (lower !== undefined && value < lower);
  const bounds = { ...(lower === undefined ? {} : { lower }), ...(upper === undefined ? {} : { upper }) };
  return { verdict: isMet ? "met" : "unmet", value, ...bounds };
}

function boundsOf(middle: number, distance: number, given: { direction: Direction; minDifference: number }) {
  const { direction, minDifference } = given;
  const reach = Math.max(distance, minDifference);
  return {
    ...(direction === "up" ? {} : { lower: middle - reach }),
    ...(direction === "down" ? {} : { upper: middle + reach }),
  };
}

/** Makes the median absolute deviation of a normal distribution its standard deviation: 1 / 0.6745. */
const MAD_SCALE = 1.4826;
/** The same for the mean absolute deviation: the square root of pi / 2. */
const MEAN_SCALE = 1.2533;

/**
 * The median, and a spread that one odd week does not change: |value - middle| / spread is the robust z-score. Where more
 * than half of the weeks are alike, the median deviation is 0 and the mean one takes its place.
 */
export function robust(history: readonly number[]): { middle: number; spread: number } {
  const middle = median(history);
  const deviations = history.map((one) => Math.abs(one - middle));
  const mad = median(deviations);
  if (mad > 0) return { middle, spread: MAD_SCALE * mad };
  return { middle, spread: (MEAN_SCALE * deviations.reduce((sum, one) => sum + one, 0)) / deviations.length };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const at = sorted.length >> 1;
  const upper = sorted[at] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[at - 1] ?? 0) + upper) / 2;
}
