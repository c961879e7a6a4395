/** The three reports, and the SQL parts that answer each question. */
import { REVENUE_COLUMNS, SOURCE_COLUMNS } from "../contract/metric-columns.ts";
import type { Cte } from "../engines/port.ts";
import { revenueValue, shownValue } from "../materialize/columns.ts";
import { revenueDimension } from "../materialize/rollups.ts";
import { FIELDS, type FieldName } from "./filter-terms.ts";
import { buildClause, type Condition } from "./filters.ts";
import { readParts, toCtes } from "./parts.ts";

export interface Question {
  /** One of the report's columns. */
  readonly column: string;
  readonly conditions: readonly Condition[];
  /** True if some projects exclude bots: those in the parameter `without_bots`. */
  readonly leavesBotsOut: boolean;
}

/** The last CTE is `counts`, the result: project_id, value and the measures. */
export interface Asked {
  readonly ctes: readonly Cte[];
  readonly params: Readonly<Record<string, unknown>>;
}

export interface Measure {
  readonly name: string;
  readonly type: "UInt64" | "Float64";
}

export interface Report {
  /** The allowed values of `metric_column`. */
  readonly columns: readonly string[];
  readonly defaultColumn?: string;
  /** The last measure is the first sort key, the one before it the second, and so on: add a new one before the last. */
  readonly measures: readonly Measure[];
  ask(question: Question): Asked;
}

const SOURCES = readParts("top_sources");
const SOURCES_FILTERED = readParts("top_sources_filtered");
const CHAINS = readParts("top_chains");
const CHAINS_FILTERED = readParts("top_chains_filtered");
const REVENUE = readParts("revenue_by_metric");
const REVENUE_FILTERED = readParts("revenue_by_metric_filtered");

const HITS = { name: "hits", type: "UInt64" } as const;
const SESSIONS = { name: "sessions", type: "UInt64" } as const;
const VISITORS = { name: "visitors", type: "UInt64" } as const;

const topSources: Report = {
  columns: SOURCE_COLUMNS,
  defaultColumn: "referrer",
  measures: [HITS, SESSIONS, VISITORS],
  ask(question) {
    const value = shownValue(question.column, `v.${question.column}`);
    if (isPlain(question))
      return {
        ctes: toCtes(SOURCES, ["clean", "dirty", "known", "counts"], { value }),
        params: { dimension: question.column },
      };
    const { texts, params, hasEvents } = readConditions(question, ofSession);
    const [parts, chosen] = hasEvents
      ? [["chosen", "matching", "chosen_by_events"], "chosen_by_events"]
      : [["chosen"], "chosen"];
    return { ctes: toCtes(SOURCES_FILTERED, [...parts, "counts"], { ...texts, value, chosen }), params };
  },
};

const topChains: Report = {
  columns: ["chain_id"],
  defaultColumn: "chain_id",
  measures: [SESSIONS, VISITORS],
  ask(question) {
    if (isPlain(question)) return { ctes: toCtes(CHAINS, ["clean", "dirty", "known", "counts"], {}), params: {} };
    const { texts, params, hasEvents } = readConditions(question, ofSession);
    const chosen = hasEvents ? "chosen_by_events" : "chosen";
    return { ctes: toCtes(CHAINS_FILTERED, [chosen, "counts"], { ...texts, chosen }), params };
  },
};

const revenueByMetric: Report = {
  columns: REVENUE_COLUMNS,
  measures: [{ name: "sum_revenue", type: "Float64" }],
  ask(question) {
    const value = shownValue(question.column, revenueValue(question.column));
    if (isPlain(question))
      return {
        ctes: toCtes(REVENUE, ["clean", "dirty", "counts"], { value }),
        params: { dimension: revenueDimension(question.column) },
      };
    const { texts, params } = readConditions(question, ofRevenue);
    return { ctes: toCtes(REVENUE_FILTERED, ["counts"], { ...texts, value }), params };
  },
};

export const REPORTS = { top_sources: topSources, top_chains: topChains, revenue_by_metric: revenueByMetric } as const;

export type ReportName = keyof typeof REPORTS;

function isPlain({ conditions, leavesBotsOut }: Question): boolean {
  return conditions.length === 0 && !leavesBotsOut;
}

/** The column names of a report's relation, for filters. `field` is always one of FIELDS. */
interface Names {
  readonly project: string;
  session(field: FieldName): string;
}

const ofSession: Names = { project: "v.project_id", session: (field) => `v.${field}` };
/** Session filters are compared with the values under which the event's revenue counts. */
const ofRevenue: Names = { project: "e.project_id", session: revenueValue };
const ofEvent = (field: FieldName) => (field === "page" ? "e.pathname" : `e.${field}`);

function readConditions({ conditions, leavesBotsOut }: Question, names: Names) {
  const ofLevel = (level: "session" | "event") => conditions.filter(({ field }) => FIELDS[field].level === level);
  const session = buildClause(ofLevel("session"), names.session, "s");
  const event = buildClause(ofLevel("event"), ofEvent, "e");
  const isPerson = `${names.session("device")} != 'bot'`;
  const bots = leavesBotsOut ? `(${names.project} NOT IN {without_bots:Array(String)} OR ${isPerson})` : "1 = 1";
  return {
    texts: { bots, session_filter: session.sql, event_filter: event.sql },
    params: { ...session.params, ...event.params },
    hasEvents: ofLevel("event").length > 0,
  };
}
