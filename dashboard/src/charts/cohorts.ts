/** The report `retention`: one row whose two columns are tuples. */
import type { CohortInterval } from "../../../src/contract/retention.ts";
import { addDays, addMonths, type Day, dayMs, firstOfMonth } from "../format/days.ts";
import type { TableData } from "../format/table.ts";

export interface RetentionRow {
  metric: readonly (string | number | null)[];
  /** [project, first day, users, share of period 0, 1, 2, ...] each; shares are percentages, null in the future. */
  user: readonly (readonly (string | number | null)[])[];
}

export interface Cohort {
  /** The first day of the day, week or month in which its users were first seen. */
  start: Day;
  users: number;
  /** Shares between 0 and 1, of period 0 and later ones; null where the period has not come yet. */
  shares: readonly (number | null)[];
  /** As many of the shares are of periods that are over; the next one is "so far". */
  whole: number;
}

/** The first day of the period, as many periods later. Weeks begin on Monday. */
export function periodStart(day: Day, interval: CohortInterval, later = 0): Day {
  if (interval === "month") return addMonths(firstOfMonth(day), later);
  if (interval === "day") return addDays(day, later);
  const weekday = (new Date(dayMs(day)).getUTCDay() + 6) % 7;
  return addDays(day, 7 * later - weekday);
}

/** `lastDay`: the last day that is over and in the period. */
export function cohortsOf(row: RetentionRow | undefined, lastDay: Day, interval: CohortInterval = "week"): Cohort[] {
  return (row?.user ?? []).map(([, first, users, ...given]) => {
    const start = String(first);
    const isOver = (nth: number) => addDays(periodStart(start, interval, nth + 1), -1) <= lastDay;
    const open = given.findIndex((_, nth) => !isOver(nth));
    return {
      start,
      users: Number(users ?? 0),
      shares: given.map((share) => (share === null ? null : Number(share) / 100)),
      whole: open < 0 ? given.length : open,
    };
  });
}

/** A point of the curve: the share of the users of all cohorts that are old enough. */
export interface CurvePoint {
  share: number;
  cohorts: number;
  users: number;
}

/**
 * The average of the cohorts, weighted by their size, while two or more of them have the period behind them: the last
 * cohort alone is another crowd, and made a curve rise from 55% to 74%. Where there is one from the start, it is the
 * same crowd at each point.
 */
export function retentionCurve(cohorts: readonly Cohort[]): CurvePoint[] {
  const longest = Math.max(0, ...cohorts.map(({ shares }) => shares.length));
  const known = Array.from({ length: longest }, (_, nth) =>
    cohorts.filter(({ shares, whole, users }) => users > 0 && shares[nth] != null && (nth === 0 || nth < whole)),
  );
  const least = Math.min(2, known[1]?.length ?? 0);
  const end = known.findIndex((found, nth) => found.length === 0 || (nth > 0 && found.length < least));
  return known.slice(0, end < 0 ? longest : end).map((found, nth) => {
    const users = found.reduce((sum, cohort) => sum + cohort.users, 0);
    const back = found.reduce((sum, cohort) => sum + cohort.users * (cohort.shares[nth] ?? 0), 0);
    return { share: back / users, cohorts: found.length, users };
  });
}

/** How many columns have a value in some line. */
export function countColumns(cohorts: readonly Cohort[]): number {
  return Math.max(1, ...cohorts.map(({ shares }) => shares.filter((share) => share !== null).length));
}

/** "Week 0" or "+3". */
export function columnName(nth: number, interval: CohortInterval): string {
  return nth === 0 ? `${INTERVAL_NAMES[interval]} 0` : `+${nth}`;
}

export const INTERVAL_NAMES = { day: "Day", week: "Week", month: "Month" } as const;

export function cohortTable(cohorts: readonly Cohort[], interval: CohortInterval = "week"): TableData {
  const places = Array.from({ length: countColumns(cohorts) }, (_, nth) => nth);
  const name = INTERVAL_NAMES[interval];
  return {
    columns: [
      { key: "start", label: interval === "day" ? name : `${name} of` },
      { key: "users", label: "Visitors", format: "count" },
      ...places.map((nth) => ({ key: `at_${nth}`, label: `${name} ${nth}`, format: "percent" as const })),
    ],
    rows: cohorts.map(({ start, users, shares }) => ({
      start,
      users,
      ...Object.fromEntries(places.map((nth) => [`at_${nth}`, shares[nth] ?? null])),
    })),
  };
}
