import { readFileSync } from "node:fs";
import { REVENUE_COLUMNS, SOURCE_COLUMNS } from "../contract/analytics.ts";
import type { FieldName } from "./filter-terms.ts";

/** Which column, or which name inside a lambda, a filter field is in a report's SQL. */
export interface Report {
  /** What `metric_column` may be; absent where there is no choice. */
  readonly columns?: readonly string[];
  readonly defaultColumn?: string;
  /** For no filters and all visitors, where there is a shorter way. */
  readonly plainSql?: string;
  readonly sql: string;
  sessionColumn(field: FieldName): string;
  eventColumn(field: FieldName): string;
  /** Wraps the clause on event fields where events are arrays of their session. */
  wrapEvents?(clause: string): string;
}

const readSql = (name: string) => readFileSync(new URL(`./reports/${name}.sql`, import.meta.url), "utf8");

/** In `sessions` an event's fields are elements of arrays. */
const ELEMENTS: Partial<Record<FieldName, string>> = { chain_id: "chain" };
const elementOf = (field: FieldName) => `x_${ELEMENTS[field] ?? field}`;
const EVENT_ARRAYS = ["type", "event", "page", "chain", "address", "volume", "revenue", "points"];
const LAMBDA = `(${EVENT_ARRAYS.map((name) => `x_${name}`).join(", ")})`;
const ARRAYS = EVENT_ARRAYS.map((name) => `e_${name}`).join(", ");

/** In `revenue_events` these are the event's own, beside the resolved columns of the same names. */
const OWN: Partial<Record<FieldName, string>> = { page: "own_page", chain_id: "own_chain" };

export const REPORTS = {
  top_sources: {
    columns: SOURCE_COLUMNS,
    defaultColumn: "referrer",
    plainSql: readSql("top_sources"),
    sql: readSql("top_sources_filtered"),
    sessionColumn: (field) => field,
    eventColumn: elementOf,
    wrapEvents: (clause) => `arrayExists(${LAMBDA} -> ${clause}, ${ARRAYS})`,
  },
  top_chains: {
    plainSql: readSql("top_chains"),
    sql: readSql("top_chains_filtered"),
    sessionColumn: (field) => field,
    eventColumn: elementOf,
  },
  revenue_by_metric: {
    columns: REVENUE_COLUMNS,
    sql: readSql("revenue_by_metric"),
    sessionColumn: (field) => field,
    eventColumn: (field) => OWN[field] ?? field,
  },
} as const satisfies Record<string, Report>;

export type ReportName = keyof typeof REPORTS;
