/** The SQL of rollups, in the dialect of both engines: SELECTs of the columns of `rollups`, of a slice of the partition `project` and `day`. */
import { readFileSync } from "node:fs";
import { REVENUE_COLUMNS, SOURCE_COLUMNS } from "../contract/metric-columns.ts";
import { revenueValue, shownValue } from "./columns.ts";

const readSql = (name: string) => readFileSync(new URL(`./${name}.sql`, import.meta.url), "utf8");

/** Of revenue by a column, beside the dimensions of sources, which are named as their columns. */
export const revenueDimension = (column: string) => `revenue ${column}`;

export const ROLLUPS: readonly string[] = [
  withColumns(readSql("rollup_sources"), SOURCE_COLUMNS, (column) => shownValue(column, `v.${column}`)),
  readSql("rollup_chains"),
  withColumns(
    readSql("rollup_revenue"),
    REVENUE_COLUMNS,
    (column) => shownValue(column, revenueValue(column)),
    revenueDimension,
  ),
];

/** `dimensions`, `values` and `numbers` are arrays side by side: an event or session becomes a row for each of them. */
function withColumns(
  sql: string,
  columns: readonly string[],
  textOf: (column: string) => string,
  dimensionOf = (column: string) => column,
): string {
  return sql
    .replace("/*dimensions*/", `[${columns.map((column) => `'${dimensionOf(column)}'`).join(", ")}]`)
    .replace("/*values*/", columns.map(textOf).join(",\n                "))
    .replace("/*numbers*/", `[${columns.map((_, index) => index + 1).join(", ")}]`);
}
