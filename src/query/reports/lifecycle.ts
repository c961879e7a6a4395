import { LIFECYCLE_DAYS, STAGES } from "../../contract/lifecycle.ts";
import type { Cte } from "../../engines/relations.ts";
import { fillSql } from "../../lib/sql.ts";
import { readParts } from "../report/parts.ts";
import { defineReport } from "../report/report.ts";
import { clampDay, FIRST_DAY, periodBefore } from "../report/window.ts";
import { listKinds } from "./kinds.ts";
import { stageParams, stagesOf, type Threshold, type Thresholds } from "./stages.ts";
import { readUserFilters, STAGE_FIELD } from "./user-filters.ts";
import { findUsers, type Period, type UserFilters, WALLETS } from "./users.ts";

const PARTS = readParts("lifecycle");

interface Own {
  readonly filters: UserFilters;
  readonly days: Thresholds;
  readonly withPrevious: boolean;
}

export const lifecycle = defineReport<Own>({
  ownFields: [STAGE_FIELD],
  /** A reference day beyond all storable ones is as good as the last of them: every wallet has churned. */
  dates: ({ date_from, date_to }) => ({
    ...(date_from === undefined ? {} : { date_from: clampDay(date_from) }),
    ...(date_to === undefined ? {} : { date_to: clampDay(date_to) }),
  }),
  read(query, failures, segment) {
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
      filters: readUserFilters(query, failures, segment),
      days,
      withPrevious: query.include_previous_period === true,
    };
  },
  /** A wallet may have been seen first on any day. */
  reach: (_own, { lastDay }) => ({ firstDay: FIRST_DAY, lastDay }),
  plan({ filters, days, withPrevious }, context) {
    const periods = [CURRENT, ...(withPrevious ? [PREVIOUS] : [])].map((period) => {
      const users = findUsers(WALLETS, filters, context, period);
      return { period, users, ctes: [...users.ctes, ...stagesOf(period.to, period.suffix, users.visits)] };
    });
    const before = periodBefore(context.window);
    return {
      ctes: [...periods.flatMap(({ ctes }) => ctes), countPeriods(withPrevious, filters.stages)],
      params: {
        ...Object.assign({}, ...periods.map(({ users }) => users.params)),
        ...stageParams(days),
        ...(filters.stages && { stages: filters.stages }),
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
          listKinds(context.projects, counted, { names: STAGES, number: "stage" }).map(({ project_id, name, row }) => ({
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

function countPeriods(withPrevious: boolean, stages: readonly number[] | undefined): Cte {
  const isWanted = stages === undefined ? "" : " WHERE stage IN {stages:Array(Float64)}";
  const periods = [
    `SELECT project_id, stage, 1 AS is_current FROM stages${isWanted}`,
    ...(withPrevious ? [`SELECT project_id, stage, 0 AS is_current FROM stages${PREVIOUS.suffix}${isWanted}`] : []),
  ];
  return { name: "counts", sql: fillSql(PARTS("counts"), { periods: periods.join("\n    UNION ALL\n    ") }) };
}
