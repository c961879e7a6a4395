/** Parses and validates a report's query once, and plans its statement and scope. */
import type { ReportQuery } from "../../contract/analytics.ts";
import type { Cte, ReportScope } from "../../engines/relations.ts";
import { dayIn, isTimeZone, UTC } from "../../lib/time-zones.ts";
import { firstKeptDay } from "../../materialize/kept-days.ts";
import { type Failures, type Filters, readFilters } from "../filters/filters.ts";
import { isPlain } from "./conditions.ts";
import { type DaysOfImport, type ImportedNote, noteImported } from "./imported.ts";
import { planPeople } from "./people.ts";
import type { Report, ReportContext, ReportStatement, Row } from "./report.ts";
import { type Days, FIRST_DAY, hullOf, laterOf, windowOf } from "./window.ts";

/** The workspace and the projects of a report. */
export interface ReportOwner {
  readonly workspaceId: string;
  readonly projects: readonly {
    readonly id: string;
    readonly excludeBots: boolean;
    /** Null: no limit. */
    readonly retentionDays: number | null;
    /** Days that another product counted. */
    readonly imports?: readonly DaysOfImport[];
    /** Whose days its reports count. Absent: UTC. */
    readonly timezone?: string;
  }[];
}

/** The zone of all days of a question: that which it names, or that of its projects, or UTC where they have several. */
export function zoneOf({ projects }: ReportOwner, asked?: string): string {
  if (asked !== undefined) return asked;
  const [zone = UTC, ...others] = new Set(projects.map(({ timezone = UTC }) => timezone));
  return others.length === 0 ? zone : UTC;
}

/** A statement about some days, and the projects that keep any of them. */
interface ScopedStatement {
  /** Without CTEs for an unknown column, an impossible window, or no projects: no rows, and no error. */
  readonly statement: ReportStatement;
  readonly scope: ReportScope;
}

export interface Plan extends ScopedStatement {
  /** What the answer says of imported days. */
  readonly imported?: ImportedNote;
  /** The statement about the days to compare with. */
  compared?(counted: readonly Row[]): ScopedStatement;
}

/** A validated query. */
export interface Question extends Filters {
  /** The report's own parameters, as its `read` returned them. */
  readonly own: unknown;
  readonly pageScope: ReportContext["pageScope"];
  /** Undefined: the report's default. */
  readonly dateFrom: string | undefined;
  readonly lastDay: string;
  readonly limit: number;
  readonly offset: number;
  /** False: without imported days. */
  readonly imported: boolean;
  /** The time zone of all its days. */
  readonly zone: string;
}

export type ReadQuestion =
  | { readonly ok: true; readonly value: Question }
  | { readonly ok: false; readonly failures: Failures };

/** What is known of a question beside its query. */
export interface Known {
  /** The filters of the segment that the query names. */
  readonly segment?: readonly unknown[];
  /** The zone of its projects, once they are known. */
  readonly zone?: string;
}

/**
 * Validates a query beyond its types, and reports all failures at once. Types may be wrong here: another check refuses
 * them.
 */
export function readQuestion(
  report: Report,
  query: ReportQuery,
  nowMs: number,
  { segment = [], zone: ofProjects = UTC }: Known = {},
): ReadQuestion {
  const failures: Failures = new Map();
  const zone = readZone(query, failures) ?? ofProjects;
  const filters = readFilters(query, failures, { nowMs, zone, segment, ownFields: report.ownFields });
  const { limit = 0, offset = 0 } = query;
  const { dateFrom, lastDay } = readDays(report.dates?.(query) ?? query, dayIn(zone, nowMs), failures);
  const own = report.read(query, failures, segment);
  if (failures.size > 0) return { ok: false, failures };
  const pageScope = query.page_scope === "session" ? "session" : "page";
  return {
    ok: true,
    value: { own, ...filters, pageScope, dateFrom, lastDay, limit, offset, zone, imported: query.imported !== false },
  };
}

/** The time zone that a query names. Undefined: none, or a wrong one. */
export function readZone({ timezone }: { readonly timezone?: unknown }, failures: Failures): string | undefined {
  if (typeof timezone !== "string") return undefined;
  if (isTimeZone(timezone)) return timezone;
  failures.set("query.timezone", "must be the name of a time zone, such as Europe/Berlin");
  return undefined;
}

export function readDays(
  { date_from: dateFrom, date_to }: Pick<ReportQuery, "date_from" | "date_to">,
  today: string,
  failures: Failures,
): { readonly dateFrom: string | undefined; readonly lastDay: string } {
  const lastDay = date_to ?? today;
  const until = date_to === undefined ? "today, which date_to is by default" : "date_to";
  if (dateFrom !== undefined && dateFrom > lastDay) failures.set("query.date_from", `must not be after ${until}`);
  return { dateFrom, lastDay };
}

/** A window of one day that no event can have, for a question about days that no engine can store. */
const NO_DAYS: Days = { firstDay: FIRST_DAY, lastDay: FIRST_DAY };

export function planReport(
  report: Report,
  owner: ReportOwner,
  question: Question,
  nowMs: number,
  imports: readonly DaysOfImport[] = [],
): Plan {
  const { own, conditions, people, pageScope, lastDay, limit, offset, zone } = question;
  const found = windowOf(question.dateFrom ?? report.defaultFrom?.(own, lastDay), lastDay);
  const window = found ?? NO_DAYS;
  const mayAdd = question.imported && isPlain(question);
  const statement = report.plan(own, {
    projects: owner.projects.map(({ id }) => id),
    window,
    hasDays: found !== undefined,
    conditions,
    people,
    pageScope,
    leavesBotsOut: owner.projects.some(({ excludeBots }) => excludeBots),
    nowMs,
    zone,
    limit,
    offset,
    imported: mayAdd ? imports : [],
  });
  if (found === undefined) return { statement: { ...statement, ctes: [] }, scope: { projects: [], ...window } };
  const reach = report.reach?.(own, window) ?? window;
  const { compared } = statement;
  return {
    ...planDays(owner, question, { statement, window, reach }, nowMs),
    ...noteOf(imports, window, whyLeftOut(question, statement)),
    ...(compared && {
      compared: (counted: readonly Row[]) =>
        planDays(
          owner,
          question,
          { statement: { ...statement, ...compared.plan(counted) }, window: compared.window, reach: compared.window },
          nowMs,
        ),
    }),
  };
}

function noteOf(...given: Parameters<typeof noteImported>): Pick<Plan, "imported"> {
  const imported = noteImported(...given);
  return imported === undefined ? {} : { imported };
}

/** Undefined: they are added. */
function whyLeftOut(question: Question, statement: ReportStatement): string | undefined {
  if (!question.imported) return "imported=false";
  if (!isPlain(question)) return "imported days cannot be filtered";
  return statement.addsImported === true ? undefined : "imported days do not have what is asked for";
}

function planDays(
  owner: ReportOwner,
  { people, zone }: Pick<Question, "people" | "zone">,
  { statement, window, reach }: { statement: ReportStatement; window: Days; reach: Days },
  nowMs: number,
): ScopedStatement {
  const { days, ctes, params } = planPeople(people);
  const scope = scopeOf(owner, hullOf(reach, days), nowMs, zone);
  const { projects } = scope;
  if (projects.length === 0) return { statement: { ...statement, ctes: [] }, scope };
  const ofAll = {
    projects: projects.map(({ id }) => id),
    first_day: window.firstDay,
    last_day: window.lastDay,
    without_bots: owner.projects.filter(({ excludeBots }) => excludeBots).map(({ id }) => id),
  };
  const withPeople = { ...statement, params: { ...ofAll, ...params, ...statement.params } };
  if (ctes.length === 0 || statement.ctes.length === 0) return { statement: withPeople, scope };
  const before = (own: readonly Cte[]) => [...ctes, ...own];
  return {
    statement: {
      ...withPeople,
      ctes: before(statement.ctes),
      ...(statement.unshared && { unshared: before(statement.unshared) }),
    },
    scope,
  };
}

/** The projects that keep events of these days, which are those of a zone. */
export function scopeOf({ projects }: ReportOwner, days: Days, nowMs: number, zone = UTC): ReportScope {
  const kept = projects
    .map(({ id, excludeBots, retentionDays }) => ({
      id,
      firstDay: laterOf(days.firstDay, findFirstDay(retentionDays, nowMs)),
      withoutBots: excludeBots,
    }))
    .filter(({ firstDay }) => firstDay <= days.lastDay);
  if (zone === UTC) return { projects: kept, ...days };
  const limits = projects
    .filter(({ retentionDays }) => retentionDays !== null)
    .map(({ id, retentionDays }) => ({ id, firstDay: findFirstDay(retentionDays, nowMs) }));
  return { projects: kept, ...days, zone: { name: zone, kept: limits } };
}

/** The first day that a project keeps. */
export function findFirstDay(retentionDays: number | null, nowMs: number): string {
  return retentionDays === null ? FIRST_DAY : firstKeptDay(retentionDays, nowMs);
}
