/**
 * Differences between the engines that docs/sql.md names. Each is a deep property of an engine. A statement belongs to
 * one by what it says or by the message of the engine that refuses it, never by its answer alone.
 */
import { isRefusal, type Outcome } from "./answers.ts";

export interface NamedDifference {
  readonly name: string;
  matches(sql: string, duckdb: Outcome, clickhouse: Outcome): boolean;
}

const refuses = (outcome: Outcome, pattern: RegExp) => isRefusal(outcome) && pattern.test(outcome.refused);

export const NAMED_DIFFERENCES: readonly NamedDifference[] = [
  {
    name: "integers out of range: refused by DuckDB, wrapped by ClickHouse",
    matches: (_sql, duckdb) => refuses(duckdb, /[Oo]verflow in|out of range/),
  },
];
