import { readFileSync } from "node:fs";
import { REVENUE_COLUMNS, SOURCE_COLUMNS } from "../contract/analytics.ts";
import { EVENTS, placeOf, revenueSql, sessionsSql } from "../definitions/sessions.ts";
import type { Days } from "./days.ts";
import { FIELDS, type FieldName } from "./filter-terms.ts";
import { buildClause, type Clause, type Condition } from "./filters.ts";

/** One report: its SQL files, and which columns of sessions or revenue they need for a question. */
export interface Report {
  /** What `metric_column` may be; absent where there is no choice. */
  readonly columns?: readonly string[];
  readonly defaultColumn?: string;
  /** For a question without filters. */
  plain?(column: string): string;
  /** `hasBots`: every project counts them, so nobody needs the device. Each column less is planned 1 ms faster. */
  filtered(column: string, conditions: readonly Condition[], hasBots: boolean): Clause;
}

const readSql = (name: string) => readFileSync(new URL(`./reports/${name}.sql`, import.meta.url), "utf8");

/** Leaves out what the state of the days makes needless: planning it took 30 ms of 45. */
export function forDays(sql: string, { days, keys, reopened }: Pick<Days, "days" | "keys" | "reopened">): string {
  const isNeeded: Record<string, boolean> = {
    open: days.length > 0,
    pairs: !placeOf(days, keys).isGrid,
    reopened: reopened.length > 0,
  };
  return sql.replaceAll(/\/\*(\w+){\*\/([\s\S]*?)\/\*}\1\*\//g, (_, part: string, text: string) =>
    isNeeded[part] ? forDays(text, { days, keys, reopened }) : "",
  );
}

function fill(sql: string, parts: Readonly<Record<string, string>>): string {
  return sql.replaceAll(
    /\/\*(\w+)\*\//g,
    (whole, name: string) => ({ builds: "{builds:Array(UInt64)}", events: EVENTS, ...parts })[name] ?? whole,
  );
}

const ofLevel = (conditions: readonly Condition[], level: "session" | "event") =>
  conditions.filter(({ field }) => FIELDS[field].level === level);
const fieldsOf = (conditions: readonly Condition[]) => [...new Set(conditions.map(({ field }) => field))];

/** In `sessions` an event's fields are elements of arrays `e_...`; in a lambda over them they are `x_...`. */
const elementName = (field: FieldName) => (field === "chain_id" ? "chain" : field);
const element = (field: FieldName) => `x_${elementName(field)}`;
const array = (field: FieldName) => `e_${elementName(field)}`;
const sessionColumn = (field: FieldName) => field;

/** In `revenue_events` these are the event's own, beside the resolved columns of the same names. */
const OWN: Partial<Record<FieldName, string>> = { page: "own_page", chain_id: "own_chain" };
const ownColumn = (field: FieldName) => OWN[field] ?? field;

interface SessionFilter {
  session: Clause;
  event: Clause;
  /** The event fields that are asked for. */
  events: FieldName[];
  columns: string[];
}

const BOTS = "(project_id NOT IN {without_bots:Array(String)} OR device != 'bot')";
const botsClause = (hasBots: boolean) => ({ bots: hasBots ? "1" : BOTS });
const botsColumns = (hasBots: boolean) => (hasBots ? [] : ["device"]);

function filterSessions(conditions: readonly Condition[], hasBots: boolean): SessionFilter {
  const onEvents = ofLevel(conditions, "event");
  const onSessions = ofLevel(conditions, "session");
  const events = fieldsOf(onEvents);
  return {
    session: buildClause(onSessions, sessionColumn, "s"),
    event: buildClause(onEvents, element, "e"),
    events,
    columns: ["project_id", ...botsColumns(hasBots), ...fieldsOf(onSessions), ...events.map(array)],
  };
}

const SOURCES = readSql("top_sources");
const SOURCES_FILTERED = readSql("top_sources_filtered");
const CHAINS = readSql("top_chains");
const CHAINS_FILTERED = readSql("top_chains_filtered");
const REVENUE = readSql("revenue_by_metric");

const topSources: Report = {
  columns: SOURCE_COLUMNS,
  defaultColumn: "referrer",
  plain: (column) => fill(SOURCES, { live: sessionsSql(["project_id", "visitors", "hits", column, "is_live"]) }),
  filtered(column, conditions, hasBots) {
    const { session, event, events, columns } = filterSessions(conditions, hasBots);
    const needed = [...new Set([...columns, "visitors", "hits", column])];
    const lambda = `(${events.map(element).join(", ")}) -> ${event.sql}`;
    return {
      sql: fill(SOURCES_FILTERED, {
        ...botsClause(hasBots),
        columns: needed.join(", "),
        live: sessionsSql(needed),
        session_filter: session.sql,
        event_filter: events.length === 0 ? "1" : `arrayExists(${lambda}, ${events.map(array).join(", ")})`,
      }),
      params: { ...session.params, ...event.params },
    };
  },
};

const topChains: Report = {
  plain: () => fill(CHAINS, {}),
  filtered(_column, conditions, hasBots) {
    const { session, event, events, columns } = filterSessions(conditions, hasBots);
    const needed = [...new Set([...columns, "e_chain", "e_visitor"])];
    return {
      sql: fill(CHAINS_FILTERED, {
        ...botsClause(hasBots),
        columns: needed.join(", "),
        live: sessionsSql(needed),
        session_filter: session.sql,
        event_filter: event.sql,
        elements: events.map((field) => `, ${element(field)}`).join(""),
        arrays: events.map((field) => `, ${array(field)}`).join(""),
      }),
      params: { ...session.params, ...event.params },
    };
  },
};

const revenueByMetric: Report = {
  columns: REVENUE_COLUMNS,
  filtered(column, conditions, hasBots) {
    const onEvents = ofLevel(conditions, "event");
    const onSessions = ofLevel(conditions, "session");
    const session = buildClause(onSessions, sessionColumn, "s");
    const event = buildClause(onEvents, ownColumn, "e");
    const asked = [...fieldsOf(onSessions), ...fieldsOf(onEvents).map(ownColumn)];
    const needed = [...new Set(["project_id", ...botsColumns(hasBots), "revenue", column, ...asked])];
    return {
      sql: fill(REVENUE, {
        ...botsClause(hasBots),
        columns: needed.join(", "),
        live: revenueSql(needed),
        session_filter: session.sql,
        event_filter: event.sql,
      }),
      params: { ...session.params, ...event.params },
    };
  },
};

export const REPORTS = { top_sources: topSources, top_chains: topChains, revenue_by_metric: revenueByMetric } as const;

export type ReportName = keyof typeof REPORTS;
