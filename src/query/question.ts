/** Everything about a report but the data: its query, checked, as a statement over a scope. */
import { REPORT_LIMITS, type ReportQuery } from "../contract/analytics.ts";
import { validationError } from "../contract/validation-error.ts";
import type { ReportScope } from "../engines/port.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";
import { firstKeptDay } from "../materialize/kept-days.ts";
import { type Failures, readFilters } from "./filters.ts";
import type { Asked, Report } from "./reports.ts";

/** Whose data a report is about. */
export interface ReportOwner {
  readonly workspaceId: string;
  readonly projects: readonly {
    readonly id: string;
    readonly excludeBots: boolean;
    /** Null: for ever. */
    readonly retentionDays: number | null;
  }[];
}

export interface Plan {
  /** What the column of values is called in the answer. */
  readonly valueName: string;
  /** Undefined where nothing can be found: an unknown column, days that cannot be, or nobody's data. That is no error and has no rows. */
  readonly asked: Asked | undefined;
  readonly scope: ReportScope;
}

/** What is wrong with a query beyond its types, by path. */
export function findReportProblems(query: ReportQuery): Failures {
  const failures: Failures = new Map();
  if (typeof query.filters === "string") readFilters(query.filters, failures);
  const { date_from, date_to } = query;
  if (date_from !== undefined && date_to !== undefined && date_from > date_to)
    failures.set("query.date_from", "must not be after date_to");
  return failures;
}

/** Throws INVALID_VALIDATION_REQUEST with all that is wrong. */
export function planReport(report: Report, owner: ReportOwner, query: ReportQuery, nowMs: number): Plan {
  const failures: Failures = new Map();
  const { isEmpty, firstDay, lastDay } = readWindow(query, nowMs, failures);
  const conditions = readFilters(query.filters, failures);
  if (failures.size > 0) throw validationError(failures);

  const column = query.metric_column ?? report.defaultColumn ?? "";
  const isKnown = report.columns.includes(column);
  const withoutBots = owner.projects.filter(({ excludeBots }) => excludeBots).map(({ id }) => id);
  const projects = owner.projects
    .map(({ id, retentionDays }) => ({ id, firstDay: laterOf(firstDay, findKept(retentionDays, nowMs)) }))
    .filter((project) => project.firstDay <= lastDay);
  const scope = { projects, firstDay, lastDay };
  if (!isKnown) return { valueName: "metric_value", asked: undefined, scope };
  if (isEmpty || projects.length === 0) return { valueName: column, asked: undefined, scope };
  const { ctes, params } = report.ask({ column, conditions, leavesBotsOut: withoutBots.length > 0 });
  const ofAll = {
    projects: projects.map(({ id }) => id),
    first_day: firstDay,
    last_day: lastDay,
    without_bots: withoutBots,
  };
  return { valueName: column, asked: { ctes, params: { ...ofAll, ...params } }, scope };
}

function findKept(retentionDays: number | null, nowMs: number): string {
  return retentionDays === null ? FIRST_DAY : firstKeptDay(retentionDays, nowMs);
}

function readWindow(query: ReportQuery, nowMs: number, failures: Failures) {
  const last = query.date_to ?? dayOf(nowMs);
  const first = query.date_from ?? dayOf(Date.parse(last) - REPORT_LIMITS.windowDays * DAY_MS);
  const until = query.date_to === undefined ? "today, which date_to is by default" : "date_to";
  if (first > last) failures.set("query.date_from", `must not be after ${until}`);
  return {
    firstDay: clampDay(first),
    lastDay: clampDay(last),
    isEmpty: last < FIRST_DAY || first > LAST_DAY,
  };
}

/** What the engines' dates can hold. */
const FIRST_DAY = "1970-01-01";
const LAST_DAY = "2149-06-05";

function clampDay(day: string): string {
  if (day < FIRST_DAY) return FIRST_DAY;
  return day > LAST_DAY ? LAST_DAY : day;
}

function laterOf(a: string, b: string): string {
  return a > b ? a : b;
}
