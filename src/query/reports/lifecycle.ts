import { LIFECYCLE_DAYS } from "../../contract/lifecycle.ts";
import type { Cte } from "../../engines/port.ts";
import { fillSql } from "../../lib/sql.ts";
import { readParts } from "../parts.ts";
import { defineReport } from "../report.ts";
import { readUserFilters } from "../user-filters.ts";
import { FIRST_DAY, periodBefore } from "../window.ts";
import { listKinds } from "./kinds.ts";
import { findUsers, type Period, type UserFilters, WALLETS } from "./users.ts";

const PARTS = readParts("lifecycle");

type Threshold = keyof typeof LIFECYCLE_DAYS;

interface Own {
  readonly filters: UserFilters;
  readonly days: Readonly<Record<Threshold, number>>;
  readonly withPrevious: boolean;
}

/** By their numbers in the SQL. */
const STAGES = ["New", "Returning", "Power user", "Resurrected", "At Risk", "Churned"];

export const lifecycle = defineReport<Own>({
  read(query, failures) {
    const names = Object.keys(LIFECYCLE_DAYS) as Threshold[];
    const days = Object.fromEntries(
      names.map((name) => [name, typeof query[name] === "number" ? query[name] : LIFECYCLE_DAYS[name]]),
    ) as Own["days"];
    if (days.at_risk_min_days_inactive >= days.churn_window_days)
      failures.set(
        "query.at_risk_min_days_inactive",
        `must be below churn_window_days, which is ${days.churn_window_days}`,
      );
    return {
      filters: readUserFilters(query, failures),
      days,
      withPrevious: query.include_previous_period === true,
    };
  },
  /** A wallet may have been seen first on any day. */
  reach: (_own, { lastDay }) => ({ firstDay: FIRST_DAY, lastDay }),
  ask({ filters, days, withPrevious }, asking) {
    const periods = [CURRENT, ...(withPrevious ? [PREVIOUS] : [])].map((period) => {
      const users = findUsers(WALLETS, filters, asking, period);
      return { period, users, ctes: [...users.ctes, ...stagesOf(period, users.visits)] };
    });
    const before = periodBefore(asking.window);
    return {
      ctes: [...periods.flatMap(({ ctes }) => ctes), countPeriods(withPrevious)],
      params: {
        ...Object.assign({}, ...periods.map(({ users }) => users.params)),
        ...days,
        lookback: lookbackOf(days),
        beginning: FIRST_DAY,
        previous_day: before.lastDay,
        // Of a window that begins with the first of all days there is nothing before.
        previous_beginning: before.firstDay > before.lastDay ? before.firstDay : FIRST_DAY,
      },
      columns: [
        { name: "project_id", type: "String" },
        { name: "stage", type: "UInt64" },
        { name: "user_count", type: "UInt64" },
        { name: "user_count_previous", type: "UInt64" },
      ],
      order: ["project_id", "stage"],
      finish: {
        meta: [
          { name: "project_id", type: "String" },
          { name: "user_type", type: "String" },
          { name: "user_count", type: "UInt64" },
          ...(withPrevious ? [{ name: "user_count_previous", type: "UInt64" }] : []),
        ],
        rows: (counted) =>
          listKinds(asking.projects, counted, { names: STAGES, number: "stage" }).map(({ project_id, name, row }) => ({
            project_id,
            user_type: name,
            user_count: row?.user_count ?? 0,
            ...(withPrevious ? { user_count_previous: row?.user_count_previous ?? 0 } : {}),
          })),
      },
    };
  },
});

const CURRENT: Period = { from: "{beginning:Date}", to: "{last_day:Date}", suffix: "" };
/** The reference day is the one before the window. */
const PREVIOUS: Period = { from: "{previous_beginning:Date}", to: "{previous_day:Date}", suffix: "_before" };

function stagesOf({ to, suffix }: Period, visits: string): Cte[] {
  const part = (name: string, texts: Record<string, string>): Cte => ({
    name: `${name}${suffix}`,
    sql: fillSql(PARTS(name), texts),
  });
  return [
    part("user_days", { reference: to, visits }),
    part("spans", { user_days: `user_days${suffix}` }),
    part("stages", { reference: to, spans: `spans${suffix}` }),
  ];
}

function countPeriods(withPrevious: boolean): Cte {
  const periods = [
    "SELECT project_id, stage, 1 AS is_current FROM stages",
    ...(withPrevious ? [`SELECT project_id, stage, 0 AS is_current FROM stages${PREVIOUS.suffix}`] : []),
  ];
  return { name: "counts", sql: fillSql(PARTS("counts"), { periods: periods.join("\n    UNION ALL\n    ") }) };
}

/** Far enough to see the gap before the last churn window, and the window before it. */
function lookbackOf(days: Own["days"]): number {
  const { churn_window_days, resurrected_gap_days, power_user_window_days } = days;
  return Math.max(churn_window_days + Math.max(churn_window_days, resurrected_gap_days), power_user_window_days);
}
