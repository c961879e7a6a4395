/** The days of a look back, in the zone of the project: the last 30, today included. */
import { METRIC_LIMITS } from "../contract/metric-alerts.ts";
import { validationError } from "../contract/validation-error.ts";
import { addDays } from "../lib/time.ts";
import { dayIn, startOfDay } from "../lib/time-zones.ts";
import { type Question, type ReportOwner, readQuestion, zoneOf } from "../query/report/question.ts";
import type { Report } from "../query/report/report.ts";

/** Oldest first. */
export function previewDays(owner: ReportOwner, nowMs: number): readonly string[] {
  const today = dayIn(zoneOf(owner), nowMs);
  const count = METRIC_LIMITS.previewDays;
  return Array.from({ length: count }, (_, nth) => addDays(today, nth - count + 1));
}

export function askDays(report: Report, owner: ReportOwner, days: readonly string[], nowMs: number): Question {
  const asked = { date_from: days[0] ?? "", date_to: days.at(-1) ?? "" };
  const read = readQuestion(report, asked, nowMs, { zone: zoneOf(owner) });
  if (!read.ok) throw validationError(read.failures);
  return read.value;
}

/** How many of the moments lie in each of the days. */
export function countByDay(owner: ReportOwner, days: readonly string[], moments: readonly number[]): number[] {
  const zone = zoneOf(owner);
  const starts = days.map((day) => startOfDay(zone, day));
  const counts = days.map(() => 0);
  for (const ms of moments) {
    const at = starts.findLastIndex((start) => start <= ms);
    if (at >= 0) counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}
