/** The answer of retention: a row per project, with a tuple of totals and a tuple for each cohort. */
import { RETENTION_LIMITS } from "../../contract/retention.ts";
import type { Asked, Row, Value } from "../report.ts";
import { addDays } from "../window.ts";
import { mondayOfWeek } from "./weeks.ts";

interface Shape {
  readonly projects: readonly string[];
  readonly isRolling: boolean;
  readonly minUsers: number;
  /** Most cohorts. */
  readonly cohorts: number;
  /** Weeks that begin later have not come yet. */
  readonly lastDay: string;
}

const DAYS = [7, 30, 90] as const;
const WEEKS = Array.from({ length: RETENTION_LIMITS.weeks }, (_, week) => week);
const META = [
  { name: "metric", type: "Tuple(String, UInt64, UInt64, UInt64, UInt64, Float64, Float64, Float64)" },
  {
    name: "user",
    type: `Array(Tuple(String, Date, UInt64, ${WEEKS.map(() => "Nullable(Float64)").join(", ")}))`,
  },
];

export function retentionRows(shape: Shape): NonNullable<Asked["finish"]> {
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
  readonly week: number;
  readonly users: number;
  /** Users who were active in a week after the first one: exactly in it, or in it or later. */
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

/** In the order of their weeks. */
function cohortsOf(rows: readonly Row[], { isRolling }: Shape): Cohort[] {
  const ofWeeks = Map.groupBy(
    rows.filter(({ kind }) => kind === "week"),
    ({ week }) => Number(week),
  );
  return [...ofWeeks]
    .toSorted(([a], [b]) => a - b)
    .map(([week, own]) => {
      const activeIn = (nth: number) =>
        sumUsers(own.filter((row) => (isRolling ? Number(row.nth) >= nth : Number(row.nth) === nth)));
      return { week, users: activeIn(0), activeIn };
    });
}

function tupleOf(project: string, { week, users, activeIn }: Cohort, { lastDay }: Shape): Value[] {
  const monday = mondayOfWeek(week);
  const shares = WEEKS.map((nth) => (addDays(monday, 7 * nth) > lastDay ? null : (activeIn(nth) * 100) / users));
  return [project, monday, users, ...shares];
}

function sumUsers(rows: readonly Row[]): number {
  return rows.reduce((sum, { n_users }) => sum + Number(n_users), 0);
}
