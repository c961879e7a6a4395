/** The answer of retention: a row per project, with a tuple of totals and a tuple for each cohort. */
import { type CohortInterval, RETENTION_LIMITS } from "../../contract/retention.ts";
import type { ReportStatement, Row, Value } from "../report/report.ts";
import { PERIODS } from "./cohort-periods.ts";

interface Shape {
  readonly projects: readonly string[];
  readonly interval: CohortInterval;
  readonly isRolling: boolean;
  readonly minUsers: number;
  /** Most cohorts. */
  readonly cohorts: number;
  /** Periods that begin later have not come yet. */
  readonly lastDay: string;
}

const DAYS = [7, 30, 90] as const;
const PLACES = Array.from({ length: RETENTION_LIMITS.periods }, (_, nth) => nth);
const META = [
  { name: "metric", type: "Tuple(String, UInt64, UInt64, UInt64, UInt64, Float64, Float64, Float64)" },
  {
    name: "user",
    type: `Array(Tuple(String, Date, UInt64, ${PLACES.map(() => "Nullable(Float64)").join(", ")}))`,
  },
];

export function retentionRows(shape: Shape): NonNullable<ReportStatement["finish"]> {
  return {
    meta: META,
    rows: (counted) =>
      shape.projects.toSorted().map((project) =>
        toRow(
          project,
          counted.filter(({ project_id }) => project_id === project),
          shape,
        ),
      ),
  };
}

interface Cohort {
  readonly period: number;
  readonly users: number;
  /** Users who were active in a period after the first one: exactly in it, or in it or later. */
  activeIn(nth: number): number;
}

function toRow(project: string, rows: readonly Row[], shape: Shape): Row {
  const cohorts = cohortsOf(rows, shape);
  const total = cohorts.reduce((sum, { users }) => sum + users, 0);
  const retained = DAYS.map((days) => sumUsers(rows.filter(({ kind, nth }) => kind === "day" && nth === days)));
  const shown = cohorts.filter(({ users }) => users >= shape.minUsers).slice(-shape.cohorts);
  return {
    metric: [project, total, ...retained, ...retained.map((users) => (total === 0 ? 0 : users / total))],
    user: shown.map((cohort) => tupleOf(project, cohort, shape)),
  };
}

/** In the order of their periods. */
function cohortsOf(rows: readonly Row[], { isRolling }: Shape): Cohort[] {
  const ofPeriods = Map.groupBy(
    rows.filter(({ kind }) => kind === "period"),
    ({ period }) => Number(period),
  );
  return [...ofPeriods]
    .toSorted(([a], [b]) => a - b)
    .map(([period, own]) => {
      const activeIn = (nth: number) =>
        sumUsers(own.filter((row) => (isRolling ? Number(row.nth) >= nth : Number(row.nth) === nth)));
      return { period, users: activeIn(0), activeIn };
    });
}

function tupleOf(project: string, { period, users, activeIn }: Cohort, shape: Shape): Value[] {
  const { dayOf } = PERIODS[shape.interval];
  const shares = PLACES.map((nth) => (dayOf(period + nth) > shape.lastDay ? null : (activeIn(nth) * 100) / users));
  return [project, dayOf(period), users, ...shares];
}

function sumUsers(rows: readonly Row[]): number {
  return rows.reduce((sum, { n_users }) => sum + Number(n_users), 0);
}
