import type { Cte } from "../../engines/relations.ts";
import { fillSql } from "../../lib/sql.ts";
import { readParts } from "../report/parts.ts";
import { defineReport, type ReportContext, type Value } from "../report/report.ts";
import { FIRST_DAY, periodBefore } from "../report/window.ts";
import { listKinds } from "./kinds.ts";
import { stageParams, stagesOf } from "./stages.ts";
import { readUserFilters, STAGE_FIELD } from "./user-filters.ts";
import { findUsers, NO_USER_FILTERS, type Period, type UserFilters, type Users, WALLETS } from "./users.ts";

const PARTS = readParts("frequency");
const COLUMNS = [
  { name: "project_id", type: "String" },
  { name: "bucket", type: "UInt64" },
  { name: "user_count", type: "UInt64" },
  { name: "session_count", type: "UInt64" },
  { name: "user_count_previous", type: "UInt64" },
  { name: "session_count_previous", type: "UInt64" },
] as const;

interface Own {
  readonly filters: UserFilters;
  readonly withPrevious: boolean;
}

/** By their numbers in the SQL. The hosted service's names overlap; the cuts are 1, 2 to 10, 11 to 30, 31 to 50, 51. */
const BUCKETS = ["1 session", "2 - 10 sessions", "10 - 30 sessions", "30 - 50 sessions", "> 50 sessions"];

export const frequency = defineReport<Own>({
  ownFields: [STAGE_FIELD],
  read: (query, failures, segment) => ({
    filters: readUserFilters(query, failures, segment),
    withPrevious: query.include_previous_period === true,
  }),
  reach({ filters, withPrevious }, window) {
    // What a wallet has done may have happened on any day, and all its days decide its stage.
    if (filters.behaviours.length > 0 || filters.stages !== undefined)
      return { firstDay: FIRST_DAY, lastDay: window.lastDay };
    const { firstDay, lastDay } = periodBefore(window);
    return withPrevious && firstDay <= lastDay ? { firstDay, lastDay: window.lastDay } : window;
  },
  plan({ filters, withPrevious }, context) {
    const periods = [CURRENT, ...(withPrevious ? [PREVIOUS] : [])].map((period) => {
      const users = findStaged(findUsers(WALLETS, filters, context, period), filters, context, period);
      return { users, ctes: [...users.ctes, ...bucketsOf(period, users.visits)] };
    });
    const { firstDay, lastDay } = periodBefore(context.window);
    return {
      ctes: [...periods.flatMap(({ ctes }) => ctes), countPeriods(withPrevious)],
      params: {
        ...Object.assign({}, ...periods.map(({ users }) => users.params)),
        previous_from: firstDay,
        previous_to: lastDay,
      },
      columns: COLUMNS,
      order: ["project_id", "bucket"],
      finish: {
        meta: [
          { name: "project_id", type: "String" },
          { name: "session_bucket", type: "String" },
          { name: "user_count", type: "UInt64" },
          { name: "avg_session_per_user", type: "Float64" },
          ...(withPrevious
            ? [
                { name: "user_count_previous", type: "UInt64" },
                { name: "avg_session_per_user_previous", type: "Float64" },
              ]
            : []),
        ],
        rows: (counted) =>
          listKinds(context.projects, counted, { names: BUCKETS, number: "bucket" }).map(
            ({ project_id, name, row }) => ({
              project_id,
              session_bucket: name,
              user_count: row?.user_count ?? 0,
              avg_session_per_user: average(row?.session_count, row?.user_count),
              ...(withPrevious
                ? {
                    user_count_previous: row?.user_count_previous ?? 0,
                    avg_session_per_user_previous: average(row?.session_count_previous, row?.user_count_previous),
                  }
                : {}),
            }),
          ),
      },
    };
  },
});

const CURRENT: Period = { from: "{first_day:Date}", to: "{last_day:Date}", suffix: "" };
const PREVIOUS: Period = { from: "{previous_from:Date}", to: "{previous_to:Date}", suffix: "_before" };

/** Keeps the wallets in the wanted stages on the last day of the period, by the thresholds' defaults. */
function findStaged(users: Users, { stages }: UserFilters, context: ReportContext, period: Period): Users {
  if (stages === undefined) return users;
  const { to, suffix } = period;
  const ever = { from: "{beginning:Date}", to, suffix: `_ever${suffix}` };
  const all = findUsers(WALLETS, NO_USER_FILTERS, { ...context, conditions: [] }, ever);
  const staged = fillSql(PARTS("staged"), { visits: users.visits, of_stages: `stages${suffix}` });
  return {
    ctes: [...users.ctes, ...all.ctes, ...stagesOf(to, suffix, all.visits), { name: `staged${suffix}`, sql: staged }],
    params: { ...users.params, ...all.params, ...stageParams(), stages },
    visits: `staged${suffix}`,
  };
}

function bucketsOf({ suffix }: Period, visits: string): Cte[] {
  return [
    { name: `habits${suffix}`, sql: fillSql(PARTS("habits"), { visits }) },
    { name: `buckets${suffix}`, sql: fillSql(PARTS("buckets"), { habits: `habits${suffix}` }) },
  ];
}

function countPeriods(withPrevious: boolean): Cte {
  const periods = [
    "SELECT project_id, bucket, n_sessions, 1 AS is_current FROM buckets",
    ...(withPrevious ? [`SELECT project_id, bucket, n_sessions, 0 AS is_current FROM buckets${PREVIOUS.suffix}`] : []),
  ];
  return { name: "counts", sql: fillSql(PARTS("counts"), { periods: periods.join("\n    UNION ALL\n    ") }) };
}

function average(sessions: Value = 0, users: Value = 0): number {
  return Number(users) === 0 ? 0 : Number(sessions) / Number(users);
}
