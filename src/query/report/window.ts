/** The days of a report. */
import { REPORT_LIMITS } from "../../contract/analytics.ts";
import { addDays, DAY_MS } from "../../lib/time.ts";

/** Both ends are included. */
export interface Days {
  readonly firstDay: string;
  readonly lastDay: string;
}

/** The range of the engines' dates. */
export const FIRST_DAY = "1970-01-01";
const LAST_DAY = "2149-06-05";

/** Without `dateFrom`: the default window that ends on the last day. Undefined: outside the range of dates. */
export function windowOf(dateFrom: string | undefined, lastDay: string): Days | undefined {
  // Another check refuses it.
  if (Number.isNaN(Date.parse(lastDay))) return undefined;
  const first = dateFrom ?? addDays(lastDay, -REPORT_LIMITS.windowDays);
  if (lastDay < FIRST_DAY || first > LAST_DAY) return undefined;
  return { firstDay: clampDay(first), lastDay: clampDay(lastDay) };
}

/** Within the range of the engines' dates. */
export function clampDay(day: string): string {
  if (day < FIRST_DAY) return FIRST_DAY;
  return day > LAST_DAY ? LAST_DAY : day;
}

export function countDays({ firstDay, lastDay }: Days): number {
  return (Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS + 1;
}

export function laterOf(a: string, b: string): string {
  return a > b ? a : b;
}

/** All days from the first of both to the last. */
export function hullOf(a: Days, b: Days = a): Days {
  return {
    firstDay: laterOf(a.firstDay, b.firstDay) === a.firstDay ? b.firstDay : a.firstDay,
    lastDay: laterOf(a.lastDay, b.lastDay),
  };
}

/** As many days, directly before the window, or what is left of them in the range of dates. */
export function periodBefore(window: Days): Days {
  // No day is before the first one: the period ends before it begins.
  if (window.firstDay === FIRST_DAY) return { firstDay: addDays(FIRST_DAY, 1), lastDay: FIRST_DAY };
  return {
    firstDay: clampDay(addDays(window.firstDay, -countDays(window))),
    lastDay: addDays(window.firstDay, -1),
  };
}
