/** The conditions of a question as texts of the SQL parts. */

import type { FieldName } from "../../contract/filter-fields.ts";
import type { Cte } from "../../engines/relations.ts";
import { revenueValue } from "../../materialize/columns.ts";
import { levelOf } from "../filters/filter-terms.ts";
import { buildClause, type Condition, type Filters } from "../filters/filters.ts";
import { readParts, toCtes } from "./parts.ts";
import { withPeople } from "./people.ts";
import type { ReportContext } from "./report.ts";

/** The column names of a report's relation, for filters. `field` is always one of FILTER_FIELDS. */
export interface Names {
  readonly project: string;
  session(field: FieldName): string;
}

export const ofSession: Names = { project: "v.project_id", session: (field) => `v.${field}` };
/** Session filters are compared with the values under which the event's revenue counts. */
export const ofRevenue: Names = { project: "e.project_id", session: revenueValue };
const ofEvent = (field: FieldName) => (field === "page" ? "e.pathname" : `e.${field}`);

/** True if rollups can answer it: those of a project are made with or without bots, as its reports want them. */
export function isPlain({ conditions, people }: Filters): boolean {
  return conditions.length === 0 && people.length === 0;
}

export interface ConditionTexts {
  readonly texts: Readonly<Record<"bots" | "session_filter" | "event_filter", string>>;
  readonly params: Readonly<Record<string, unknown>>;
  /** True if a condition is about single events. */
  readonly hasEvents: boolean;
}

type Conditions = Pick<ReportContext, "conditions" | "people" | "leavesBotsOut">;

/** For a report of sessions: one event of the session meets all conditions about events, and is of one of the people. */
export function readConditions({ conditions, people, leavesBotsOut }: Conditions, names: Names): ConditionTexts {
  const session = buildClause(ofLevel(conditions, "session"), names.session, "s");
  const event = withPeople(buildClause(ofLevel(conditions, "event"), ofEvent, "e"), people);
  const isPerson = `${names.session("device")} != 'bot'`;
  const bots = leavesBotsOut ? `(${names.project} NOT IN {without_bots:Array(String)} OR ${isPerson})` : "1 = 1";
  return {
    texts: { bots, session_filter: session.sql, event_filter: event.sql },
    params: { ...session.params, ...event.params },
    hasEvents: ofLevel(conditions, "event").length > 0 || people.length > 0,
  };
}

/** The CTEs come first. */
export interface EventConditionTexts extends ConditionTexts {
  readonly ctes: readonly Cte[];
}

const PAGE_SCOPE = readParts("page_scope");

/**
 * For a report of events: the counted event meets all conditions about events. With the page scope `session` conditions
 * on the page are met by any event of its session.
 */
export function readEventConditions(
  context: Conditions & Pick<ReportContext, "pageScope">,
  names: Names,
): EventConditionTexts {
  const pages = readPages(context);
  if (pages === undefined || context.pageScope === "page") return { ...readConditions(context, names), ctes: [] };
  const others = context.conditions.filter(({ field }) => field !== "page");
  const { texts, params } = readConditions({ ...context, conditions: others }, names);
  const isInViewed = "(e.project_id, e.session) IN (SELECT project_id, session FROM viewed)";
  return {
    texts: { ...texts, event_filter: `${texts.event_filter} AND ${isInViewed}` },
    params: { ...params, ...pages.params },
    hasEvents: true,
    ctes: toCtes(PAGE_SCOPE, ["viewed"], { page_filter: pages.of("e.pathname") }),
  };
}

export interface PageConditions {
  readonly params: Readonly<Record<string, unknown>>;
  /** The conditions on a column that holds a path. */
  of(column: string): string;
}

/** The conditions on the page, or undefined without any. */
export function readPages({ conditions }: Pick<ReportContext, "conditions">): PageConditions | undefined {
  const onPage = conditions.filter(({ field }) => field === "page");
  if (onPage.length === 0) return undefined;
  const clauseOf = (column: string) => buildClause(onPage, () => column, "p");
  return { params: clauseOf("").params, of: (column) => clauseOf(column).sql };
}

function ofLevel(conditions: readonly Condition[], level: "session" | "event"): Condition[] {
  return conditions.filter(({ field }) => levelOf(field) === level);
}
