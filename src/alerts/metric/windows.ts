/** The windows of an alert: which one is due, and which ones it is compared with. */
import { METRIC_LIMITS } from "../../contract/metric-alerts.ts";
import { DAY_MS } from "../../lib/time.ts";
import type { Comb, Span } from "../../query/windows/spans.ts";
import type { Condition, Metric } from "./metric.ts";

const WEEK_MS = 7 * DAY_MS;

/** The last window that is closed. `watermarkMs`: every event that was received before it is stored. */
export function closedWindow({ windowMs, everyMs, delayMs }: Metric, watermarkMs: number): Span {
  const toMs = Math.floor((watermarkMs - delayMs) / everyMs) * everyMs;
  return { fromMs: toMs - windowMs, toMs };
}

/** When the window after this one is closed. */
export function nextDueMs({ everyMs, delayMs }: Metric, { toMs }: Span): number {
  return toMs + everyMs + delayMs;
}

/** The windows between the last evaluated one and this one. They are not evaluated: nobody wants yesterday's alarm. */
export function skippedWindows(
  { everyMs, windowMs }: Metric,
  lastMs: number | null,
  { toMs }: Span,
): { count: number; fromMs: number | null } {
  const count = lastMs === null ? 0 : Math.max(0, Math.round((toMs - lastMs) / everyMs) - 1);
  return { count, fromMs: count === 0 || lastMs === null ? null : lastMs + everyMs - windowMs };
}

/** The window and, after it, those it is compared with. */
export function comparedWindows({ condition, windowMs }: Metric, { toMs }: Span): Comb {
  const { periodMs, count } = comparison(condition, windowMs);
  return { endMs: toMs, widthMs: windowMs, periodMs, count: count + 1 };
}

export function comparison(condition: Condition, windowMs: number): { periodMs: number; count: number } {
  if (condition.kind === "unusual") return { periodMs: WEEK_MS, count: METRIC_LIMITS.weeks.most };
  if (condition.kind !== "changed") return { periodMs: windowMs, count: 0 };
  return { periodMs: condition.against === "week_before" ? WEEK_MS : windowMs, count: 1 };
}
