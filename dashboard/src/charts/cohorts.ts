/** The report `retention`: one row whose two columns are tuples. */
import type { TableData } from "../format/table.ts";
import { countDays, type Day } from "../state/days.ts";

export interface RetentionRow {
  metric: readonly (string | number | null)[];
  /** [project, week, users, share of week 0, 1, 2, ...] each; shares are percentages, null in the future. */
  user: readonly (readonly (string | number | null)[])[];
}

export interface Cohort {
  week: string;
  users: number;
  /** Shares between 0 and 1, of week 0 and later ones; null where the week has not come yet. */
  shares: readonly (number | null)[];
  /** As many of the shares are of weeks that are over; the next one is "so far". */
  whole: number;
}

/** `lastDay`: the last day that is over and in the period. */
export function cohortsOf(row: RetentionRow | undefined, lastDay: Day): Cohort[] {
  return (row?.user ?? []).map(([, week, users, ...shares]) => ({
    week: String(week),
    users: Number(users ?? 0),
    shares: shares.map((share) => (share === null ? null : Number(share) / 100)),
    whole: Math.max(0, Math.floor(countDays(String(week), lastDay) / 7)),
  }));
}

/** The average of all cohorts, weighted by their size; a week that is not over would pull it down. */
export function averageShares(cohorts: readonly Cohort[]): number[] {
  const longest = Math.max(0, ...cohorts.map(({ shares }) => shares.length));
  const averages: number[] = [];
  for (let week = 0; week < longest; week += 1) {
    const known = cohorts.filter(({ shares, whole }) => shares[week] != null && (week === 0 || week < whole));
    const users = known.reduce((sum, cohort) => sum + cohort.users, 0);
    if (users === 0) break;
    averages.push(known.reduce((sum, cohort) => sum + cohort.users * (cohort.shares[week] ?? 0), 0) / users);
  }
  return averages;
}

export function cohortTable(cohorts: readonly Cohort[]): TableData {
  const longest = Math.max(0, ...cohorts.map(({ shares }) => shares.length));
  const weeks = Array.from({ length: longest }, (_, week) => week);
  return {
    columns: [
      { key: "week", label: "Week of" },
      { key: "users", label: "Visitors", format: "count" },
      ...weeks.map((week) => ({ key: `week_${week}`, label: `Week ${week}`, format: "percent" as const })),
    ],
    rows: cohorts.map(({ week, users, shares }) => ({
      week,
      users,
      ...Object.fromEntries(weeks.map((at) => [`week_${at}`, shares[at] ?? null])),
    })),
  };
}
