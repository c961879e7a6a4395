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

const isNamed = (sql: string, pattern: RegExp) => pattern.test(sql);

export const NAMED_DIFFERENCES: readonly NamedDifference[] = [
  {
    name: "integers out of range, refused by DuckDB",
    matches: (_sql, duckdb) => refuses(duckdb, /Overflow in|out of range/),
  },
  {
    name: "a subquery in the condition of an outer join, refused by DuckDB",
    matches: (_sql, duckdb) => refuses(duckdb, /Cannot perform non-inner join on subquery/),
  },
  {
    name: "a number of a time in a column of a subquery, refused by DuckDB",
    matches: (sql, duckdb) => isNamed(sql, /toUInt32\(/) && refuses(duckdb, /cast \(TIMESTAMP -> DOUBLE\)/),
  },
  {
    name: "an outer join by no equality of two columns, refused by ClickHouse",
    matches: (_sql, _duckdb, clickhouse) => refuses(clickhouse, /Cannot determine join keys/),
  },
  {
    name: "a correlated subquery, refused by ClickHouse",
    matches: (_sql, _duckdb, clickhouse) => refuses(clickhouse, /[Cc]orrelated/),
  },
  {
    name: "toUInt64 beside a negative number, refused by ClickHouse",
    matches: (sql, _duckdb, clickhouse) => isNamed(sql, /toUInt64/) && refuses(clickhouse, /supertype|Variant/),
  },
  {
    name: "the total of grouping sets over no rows, which ClickHouse lacks",
    matches: (sql, duckdb, clickhouse) =>
      isNamed(sql, /ROLLUP|CUBE|GROUPING SETS/) &&
      !isRefusal(duckdb) &&
      !isRefusal(clickhouse) &&
      duckdb.total > clickhouse.total,
  },
  {
    name: "age in months between last days of months",
    matches: (sql, duckdb, clickhouse) =>
      isNamed(sql, /age\('(?:month|quarter|year)'/) && !isRefusal(duckdb) && !isRefusal(clickhouse),
  },
  {
    name: "NULL in a comparison of rows",
    matches: (sql, duckdb, clickhouse) =>
      isNamed(sql, /tuple\(.* = row\(|\) IN \(\(1, 'a'\)/) && !isRefusal(duckdb) && !isRefusal(clickhouse),
  },
  {
    name: "a NULL in IN (SELECT ...), which ClickHouse leaves out",
    matches: (sql, duckdb, clickhouse) => isNamed(sql, / IN \(SELECT /) && !isRefusal(duckdb) && !isRefusal(clickhouse),
  },
];
