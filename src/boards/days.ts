/** The days that a request asks a board for. Older clients name them otherwise. */
import { REPORT_LIMITS } from "../contract/analytics.ts";
import { validationError } from "../contract/validation-error.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";
import { UTC, wallTimeAt } from "../lib/time-zones.ts";
import type { Days } from "../query/sql/bind-dates.ts";

export interface DayParameters {
  readonly date_from?: string;
  readonly date_to?: string;
  readonly dateFrom?: string;
  readonly dateTo?: string;
}

type Read =
  | { readonly ok: true; readonly value: Days }
  | { readonly ok: false; readonly failures: ReadonlyMap<string, string> };

/** Without dates: as in reports, the 7 days before today and today. Types may be wrong: another check refuses them. */
export function readDays(query: DayParameters, nowMs: number, areRequired: boolean): Read {
  const given = { from: query.date_from ?? query.dateFrom, to: query.date_to ?? query.dateTo };
  const failures = new Map<string, string>();
  if (areRequired && given.from === undefined) failures.set("query.date_from", "is required");
  if (areRequired && given.to === undefined) failures.set("query.date_to", "is required");
  const date_to = given.to ?? dayOf(nowMs);
  const date_from = given.from ?? daysBefore(date_to, REPORT_LIMITS.windowDays);
  if (date_from > date_to) failures.set("query.date_from", "must not be after date_to");
  return failures.size > 0 ? { ok: false, failures } : { ok: true, value: { date_from, date_to } };
}

/** The days of a request whose project is known: without a last one, that of now in its time zone. */
export function daysOfProject(
  checked: Days,
  query: DayParameters,
  { timezone = UTC }: { readonly timezone?: string },
  nowMs: number,
): Days {
  if (timezone === UTC || (query.date_to ?? query.dateTo) !== undefined) return checked;
  const read = readDays(query, wallTimeAt(timezone, nowMs), false);
  if (!read.ok) throw validationError(read.failures);
  return read.value;
}

function daysBefore(day: string, days: number): string {
  const ms = Date.parse(`${day}T00:00:00Z`);
  // A text that is no day is refused elsewhere, and before the year 0 there is none that a text of ten characters names.
  return Number.isNaN(ms) || day < "0001" ? day : new Date(ms - days * DAY_MS).toISOString().slice(0, 10);
}
