/**
 * What a link shows of its board: which charts, which days, and which conditions. Whatever a limit cannot be applied to
 * is left out, so that a limit never holds for some of the numbers only.
 */
import { REPORT_LIMITS } from "../contract/analytics.ts";
import { ApiError } from "../contract/errors.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";
import { type Days, hasBothDates } from "../query/sql/bind-dates.ts";
import type { ChartSpec } from "./chart.ts";
import { asksSql } from "./check-chart.ts";
import type { LinkLock } from "./links.ts";
import type { Asked } from "./question.ts";

/** Reports about all days up to the last one. */
const OF_ALL_DAYS: readonly (string | null)[] = ["lifecycle", "user_lifecycle"];

export function isPeriodLocked({ dateFrom, dateTo, days }: LinkLock): boolean {
  return dateFrom !== null || dateTo !== null || days !== null;
}

/** The chart as the link shows it; undefined where a limit of the link does not hold for its answer. */
export function findShown<T extends ChartSpec>(lock: LinkLock, chart: T): T | undefined {
  const isSql = asksSql(chart);
  // SQL has its own conditions.
  if (isSql && (lock.filters !== null || lock.segmentId !== null)) return undefined;
  if (!isPeriodLocked(lock)) return chart;
  if (isSql) return hasBothDates(chart.query ?? "") ? chart : undefined;
  return OF_ALL_DAYS.includes(chart.report) ? undefined : withoutOtherDays(chart);
}

/** How many charts of the board the link does not show. */
export function countLeftOut(lock: LinkLock, charts: readonly ChartSpec[]): number {
  return charts.filter((chart) => findShown(lock, chart) === undefined).length;
}

/** Columns that reports have beside a comparison, and not those of a funnel about the step before. */
const COMPARED = /^visitors_current$|(?<!_from)_previous$/;

/** Without the comparison, which the period excludes. Undefined for a chart that has nothing else to draw. */
function withoutOtherDays<T extends ChartSpec>(chart: T): T | undefined {
  const { x_axis, y_axis, group_by } = chart;
  if ([x_axis, group_by].some((name) => name !== null && COMPARED.test(name))) return undefined;
  const shown = y_axis?.filter((name) => !COMPARED.test(name)) ?? [];
  if (y_axis === null || shown.length === y_axis.length) return chart;
  return shown.length === 0 ? undefined : { ...chart, y_axis: shown };
}

/** The days that can be seen; undefined where there is no limit. */
function boundsOf({ dateFrom, dateTo, days }: LinkLock, nowMs: number): { first?: string; last?: string } {
  if (days !== null) return { first: dayOf(nowMs - (days - 1) * DAY_MS), last: dayOf(nowMs) };
  return { ...(dateFrom === null ? {} : { first: dateFrom }), ...(dateTo === null ? {} : { last: dateTo }) };
}

/** The days without parameters: all that can be seen, or as in reports the last ones. */
export function defaultDays(lock: LinkLock, nowMs: number): Days {
  const { first, last } = boundsOf(lock, nowMs);
  const date_to = last ?? dayOf(nowMs);
  const date_from = first ?? weekBefore(date_to);
  // Of days that are still to come the first one is shown.
  return date_from > date_to ? { date_from, date_to: date_from } : { date_from, date_to };
}

/** The days of a request. Days outside of the limits are refused: other numbers than were asked for would mislead. */
export function chooseDays(lock: LinkLock, given: Partial<Days>, nowMs: number): Days {
  const { first, last } = boundsOf(lock, nowMs);
  const date_to = given.date_to ?? defaultDays(lock, nowMs).date_to;
  const date_from = given.date_from ?? first ?? weekBefore(date_to);
  if (date_from > date_to) throw refused("date_from", "must not be after date_to");
  if (first !== undefined && date_from < first) throw refused("date_from", `must not be before ${first}`);
  if (last !== undefined && date_to > last) throw refused("date_to", `must not be after ${last}`);
  return { date_from, date_to };
}

function weekBefore(day: string): string {
  const ms = Date.parse(day) - REPORT_LIMITS.windowDays * DAY_MS;
  // Before the year 0 there is no day that a text of ten characters names.
  return day < "0001" ? day : new Date(ms).toISOString().slice(0, 10);
}

function refused(name: keyof Days, problem: string): ApiError {
  return new ApiError("BAD_REQUEST", `${name} ${problem}`, { param: `query.${name}` });
}

/** `segment` are the conditions of the link's segment. */
export function toAsked(lock: LinkLock, days: Days, segment: readonly unknown[]): Asked {
  const conditions = [...segment, ...(lock.filters ?? [])];
  return {
    ...days,
    ...(conditions.length === 0 ? {} : { filters: JSON.stringify(conditions) }),
    ...(isPeriodLocked(lock) ? { isWithinDays: true } : {}),
  };
}
