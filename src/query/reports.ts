import { readFileSync } from "node:fs";
import { REVENUE_COLUMNS, SOURCE_COLUMNS } from "../contract/analytics.ts";
import { deltaSql, EVENTS, placeOf, type Source } from "../definitions/event-sources.ts";
import { revenueFields, revenueSql, sessionFields, sessionsSql, VISIT_COLUMNS } from "../definitions/sessions.ts";
import type { Days } from "./days.ts";
import { FIELDS, type FieldName } from "./filter-terms.ts";
import { buildClause, type Clause, type Condition } from "./filters.ts";

/** One report: its SQL files, and which columns of sessions or revenue they need for a question. */
export interface Report {
  /** What `metric_column` may be; absent where there is no choice. */
  readonly columns?: readonly string[];
  readonly defaultColumn?: string;
  /** For a question without filters. */
  plain(column: string): Clause;
  /** `hasBots`: every project counts them, so nobody needs the device. Each column less is planned 1 ms faster. */
  filtered(column: string, conditions: readonly Condition[], hasBots: boolean): Clause;
}

const readSql = (name: string) => readFileSync(new URL(`./reports/${name}.sql`, import.meta.url), "utf8");

type DayState = Pick<Days, "days" | "keys" | "reopened" | "running" | "hasStrays" | "shortened">;

/** Leaves out what the state of the days makes needless: planning it took 30 ms of 45. */
export function forDays(sql: string, state: DayState): string {
  const { days, keys, reopened, running, hasStrays, shortened } = state;
  const isNeeded: Record<string, boolean> = {
    open: days.length > 0,
    running: running.length > 0,
    changing: days.length + running.length > 0,
    strays: hasStrays,
    regular: !hasStrays,
    mixed: days.length > 0 && running.length > 0,
    pairs: !placeOf(days, keys).isGrid,
    reopened: reopened.length > 0,
    cuts: countOf(running, ({ cut }) => cut) > 1,
    uneven: countOf(running, ({ project }) => project) * countOf(running, ({ day }) => day) !== running.length,
    shortened: shortened.length > 0,
    unshortened: shortened.length === 0,
  };
  return sql.replaceAll(/\/\*(\w+){\*\/([\s\S]*?)\/\*}\1\*\//g, (_, part: string, text: string) =>
    isNeeded[part] ? forDays(text, state) : "",
  );
}

const countOf = <T>(list: readonly T[], by: (one: T) => unknown) => new Set(list.map(by)).size;

function fill(sql: string, parts: Readonly<Record<string, string>>): string {
  const all: Record<string, string> = { builds: "{builds:Array(UInt64)}", events: EVENTS, ...parts };
  return sql.replaceAll(/\/\*(\w+)\*\//g, (whole, name: string) => all[name] ?? whole);
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
const REVENUE_FILTERED = readSql("revenue_by_metric_filtered");

/** What reads the events of open days, and of sessions of running ones that got some since: what they are now, or how they changed. */
const sessionParts = (columns: readonly string[], source: Source = "changed") => ({
  live: sessionsSql(columns),
  delta: deltaSql(sessionFields(columns)),
  changed: sessionsSql(columns, { source }),
});
const revenueParts = (columns: readonly string[], source: Source = "changed") => ({
  live: revenueSql(columns),
  delta: deltaSql(revenueFields(columns)),
  changed: revenueSql(columns, { source }),
});

const topSources: Report = {
  columns: SOURCE_COLUMNS,
  defaultColumn: "referrer",
  plain: (column) => ({
    sql: fill(SOURCES, sessionParts(["project_id", "visitors", "hits", column, "kind"], "change")),
    params: { nth: 1 + VISIT_COLUMNS.indexOf(column) },
  }),
  filtered(column, conditions, hasBots) {
    const { session, event, events, columns } = filterSessions(conditions, hasBots);
    const needed = [...new Set([...columns, "visitors", "hits", column])];
    const lambda = `(${events.map(element).join(", ")}) -> ${event.sql}`;
    return {
      sql: fill(SOURCES_FILTERED, {
        ...botsClause(hasBots),
        columns: needed.join(", "),
        ...sessionParts(needed),
        session_filter: session.sql,
        event_filter: events.length === 0 ? "1" : `arrayExists(${lambda}, ${events.map(array).join(", ")})`,
      }),
      params: { ...session.params, ...event.params },
    };
  },
};

const topChains: Report = {
  plain: () => ({
    sql: fill(CHAINS, { delta: deltaSql(["chain_id"], "chain_id != ''") }),
    params: {},
  }),
  filtered(_column, conditions, hasBots) {
    const { session, event, events, columns } = filterSessions(conditions, hasBots);
    const needed = [...new Set([...columns, "visitors", "e_chain", "e_visitor"])];
    return {
      sql: fill(CHAINS_FILTERED, {
        ...botsClause(hasBots),
        columns: needed.join(", "),
        ...sessionParts(needed),
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
  plain: (column) => ({
    sql: fill(REVENUE, revenueParts(["project_id", "revenue", column, "kind"], "change")),
    params: {},
  }),
  filtered(column, conditions, hasBots) {
    const onEvents = ofLevel(conditions, "event");
    const onSessions = ofLevel(conditions, "session");
    const session = buildClause(onSessions, sessionColumn, "s");
    const event = buildClause(onEvents, ownColumn, "e");
    const asked = [...fieldsOf(onSessions), ...fieldsOf(onEvents).map(ownColumn)];
    const needed = [...new Set(["project_id", ...botsColumns(hasBots), "revenue", column, ...asked])];
    return {
      sql: fill(REVENUE_FILTERED, {
        ...botsClause(hasBots),
        columns: needed.join(", "),
        ...revenueParts(needed),
        session_filter: session.sql,
        event_filter: event.sql,
      }),
      params: { ...session.params, ...event.params },
    };
  },
};

export const REPORTS = { top_sources: topSources, top_chains: topChains, revenue_by_metric: revenueByMetric } as const;

export type ReportName = keyof typeof REPORTS;
