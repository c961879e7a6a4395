/**
 * The SQL of rollups, common to both engines: each SELECT returns the columns of `rollups`, in their order,
 * for one slice of the partition `project` and `day`.
 */
import { REVENUE_COLUMNS, SOURCE_COLUMNS } from "../contract/metric-columns.ts";
import { fillSql, readSql } from "../lib/sql.ts";
import { revenueValue, shownValue } from "./columns.ts";

const read = (name: string) => readSql(new URL(`./${name}.sql`, import.meta.url));

/** The name of a revenue dimension. Source dimensions are named as their columns. */
export const revenueDimension = (column: string) => `revenue ${column}`;

export const ROLLUPS: readonly string[] = [
  withColumns(read("rollup_sources"), SOURCE_COLUMNS, (column) => shownValue(column, `v.${column}`)),
  read("rollup_chains"),
  withColumns(
    read("rollup_revenue"),
    REVENUE_COLUMNS,
    (column) => shownValue(column, revenueValue(column)),
    revenueDimension,
  ),
];

/** `dimensions`, `values` and `numbers` are parallel arrays: an event or session becomes one row per element. */
function withColumns(
  sql: string,
  columns: readonly string[],
  textOf: (column: string) => string,
  dimensionOf = (column: string) => column,
): string {
  return fillSql(sql, {
    dimensions: `[${columns.map((column) => `'${dimensionOf(column)}'`).join(", ")}]`,
    values: `[${columns.map(textOf).join(",\n                ")}]`,
    numbers: `[${columns.map((_, index) => index + 1).join(", ")}]`,
  });
}
