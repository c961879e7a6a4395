/**
 * The windows of an alert: which one is due, and which ones it is compared with. They are counted by labels: the moment
 * of the end, or of a window of days the day after its last one, as its midnight in UTC. Labels have no changes of
 * clocks, so that windows are multiples and sums of them; the calendar says which moments they are.
 */
import { METRIC_LIMITS } from "../../contract/metric-alerts.ts";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { dayIn, startOfDay, UTC, wallTimeAt } from "../../lib/time-zones.ts";
import type { Span } from "../../query/windows/spans.ts";
import type { Condition, Metric } from "./metric.ts";

const WEEK_MS = 7 * DAY_MS;

export interface Calendar {
  /** Of the days; UTC for windows of minutes and hours. */
  readonly zone: string;
  labelOf(ms: number): number;
  momentOf(label: number): number;
}

export interface Window extends Span {
  readonly label: number;
}

const MOMENTS: Calendar = { zone: UTC, labelOf: (ms) => ms, momentOf: (label) => label };

/** Windows of days are days of the zone. */
export function calendarOf({ isInDays }: Pick<Metric, "isInDays">, zone: string): Calendar {
  if (!isInDays || zone === UTC) return MOMENTS;
  return {
    zone,
    labelOf: (ms) => wallTimeAt(zone, ms),
    momentOf: (label) => startOfDay(zone, dayOf(label)),
  };
}

export function windowAt({ windowMs }: Pick<Metric, "windowMs">, calendar: Calendar, label: number): Window {
  return { label, fromMs: calendar.momentOf(label - windowMs), toMs: calendar.momentOf(label) };
}

/** The last window that is closed. `watermarkMs`: every event that was received before it is stored. */
export function closedWindow(metric: Metric, calendar: Calendar, watermarkMs: number): Window {
  const { everyMs, delayMs } = metric;
  return windowAt(metric, calendar, Math.floor(calendar.labelOf(watermarkMs - delayMs) / everyMs) * everyMs);
}

/** When the window after this one is closed. */
export function nextDueMs({ everyMs, delayMs }: Metric, calendar: Calendar, { label }: Window): number {
  return calendar.momentOf(label + everyMs) + delayMs;
}

/** The windows between the last evaluated one and this one, oldest first: nobody is told of them. */
export function skippedWindows(metric: Metric, calendar: Calendar, lastMs: number | null, { label }: Window): Window[] {
  if (lastMs === null) return [];
  const { everyMs } = metric;
  // Another schedule, or another zone, may have had its end between two of these.
  const count = Math.max(0, Math.round((label - calendar.labelOf(lastMs)) / everyMs) - 1);
  return Array.from({ length: count }, (_, nth) => windowAt(metric, calendar, label - (count - nth) * everyMs));
}

/** The labels of those that a window is compared with, the latest first. None begins before the first event. */
export function comparedLabels(metric: Metric, calendar: Calendar, label: number, firstMs: number | null): number[] {
  const { periodMs, count } = comparison(metric.condition, metric.windowMs);
  const labels: number[] = [];
  if (firstMs === null) return labels;
  for (let nth = 1; nth <= count; nth += 1) {
    const other = label - nth * periodMs;
    if (calendar.momentOf(other - metric.windowMs) < firstMs) break;
    labels.push(other);
  }
  return labels;
}

function comparison(condition: Condition, windowMs: number): { periodMs: number; count: number } {
  if (condition.kind === "unusual") return { periodMs: WEEK_MS, count: METRIC_LIMITS.weeks.most };
  if (condition.kind !== "changed") return { periodMs: windowMs, count: 0 };
  return { periodMs: condition.against === "week_before" ? WEEK_MS : windowMs, count: 1 };
}

/** The names of its days: the first and the last. */
export function daysOfWindow({ zone }: Pick<Calendar, "zone">, { fromMs, toMs }: Span) {
  return { date_from: dayIn(zone, fromMs), date_to: dayIn(zone, toMs - 1) };
}
