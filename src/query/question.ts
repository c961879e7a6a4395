/** Parses and validates a report's query once, and plans its statement and scope. */
import { REPORT_LIMITS, type ReportQuery } from "../contract/analytics.ts";
import type { ReportScope } from "../engines/port.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";
import { firstKeptDay } from "../materialize/kept-days.ts";
import { type Condition, type Failures, readFilters } from "./filters.ts";
import type { Asked, Report } from "./reports.ts";

/** The workspace and the projects of a report. */
export interface ReportOwner {
  readonly workspaceId: string;
  readonly projects: readonly {
    readonly id: string;
    readonly excludeBots: boolean;
    /** Null: no limit. */
    readonly retentionDays: number | null;
  }[];
}

export interface Plan {
  /** The name of the value column in the answer. */
  readonly valueName: string;
  /**
   * Undefined for an unknown column, an impossible window, or no projects: the answer has no rows and is not an error.
   */
  readonly asked: Asked | undefined;
  readonly scope: ReportScope;
}

/** A validated query. */
export interface Question {
  /** Undefined: the report's default. */
  readonly column: string | undefined;
  readonly conditions: readonly Condition[];
  /** Undefined: the default window that ends on the last day. */
  readonly dateFrom: string | undefined;
  readonly lastDay: string;
  readonly limit: number;
  readonly offset: number;
}

export type ReadQuestion =
  | { readonly ok: true; readonly value: Question }
  | { readonly ok: false; readonly failures: Failures };

/**
 * Validates a query beyond its types, and reports all failures at once. Types may be wrong here: another check refuses
 * them.
 */
export function readQuestion(query: ReportQuery, nowMs: number): ReadQuestion {
  const failures: Failures = new Map();
  const conditions = typeof query.filters === "string" ? readFilters(query.filters, failures) : [];
  const { date_from: dateFrom, date_to, metric_column: column, limit, offset } = query;
  const lastDay = date_to ?? dayOf(nowMs);
  const until = date_to === undefined ? "today, which date_to is by default" : "date_to";
  if (dateFrom !== undefined && dateFrom > lastDay) failures.set("query.date_from", `must not be after ${until}`);
  if (failures.size > 0) return { ok: false, failures };
  return { ok: true, value: { column, conditions, dateFrom, lastDay, limit, offset } };
}

export function planReport(report: Report, owner: ReportOwner, question: Question, nowMs: number): Plan {
  const { isEmpty, firstDay, lastDay } = windowOf(question);
  const column = question.column ?? report.defaultColumn ?? "";
  const isKnown = report.columns.includes(column);
  const withoutBots = owner.projects.filter(({ excludeBots }) => excludeBots).map(({ id }) => id);
  const projects = owner.projects
    .map(({ id, retentionDays }) => ({ id, firstDay: laterOf(firstDay, findKept(retentionDays, nowMs)) }))
    .filter((project) => project.firstDay <= lastDay);
  const scope = { projects, firstDay, lastDay };
  if (!isKnown) return { valueName: "metric_value", asked: undefined, scope };
  if (isEmpty || projects.length === 0) return { valueName: column, asked: undefined, scope };
  const { ctes, params } = report.ask({
    column,
    conditions: question.conditions,
    leavesBotsOut: withoutBots.length > 0,
  });
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

function windowOf({ dateFrom, lastDay }: Question) {
  const first = dateFrom ?? dayOf(Date.parse(lastDay) - REPORT_LIMITS.windowDays * DAY_MS);
  return {
    firstDay: clampDay(first),
    lastDay: clampDay(lastDay),
    isEmpty: lastDay < FIRST_DAY || first > LAST_DAY,
  };
}

/** The range of the engines' dates. */
const FIRST_DAY = "1970-01-01";
const LAST_DAY = "2149-06-05";

function clampDay(day: string): string {
  if (day < FIRST_DAY) return FIRST_DAY;
  return day > LAST_DAY ? LAST_DAY : day;
}

function laterOf(a: string, b: string): string {
  return a > b ? a : b;
}
