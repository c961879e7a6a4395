/** Tables that the caller of a statement adds, as a query of constants: an array for each column, joined row by row. */
import type { ConstantRelation } from "../../user-sql/constant-relation.ts";
import { quoteName, quoteText } from "./constants.ts";

export function constantSql({ columns, rows }: ConstantRelation): string {
  const arrays = columns.map(
    ({ name, type }, at) =>
      `${arraySql(
        rows.map((row) => row[at] ?? null),
        type,
      )} AS ${quoteName(name)}`,
  );
  const names = columns.map(({ name }) => quoteName(name)).join(", ");
  return `SELECT ${names} FROM (SELECT ${arrays.join(", ")}) ARRAY JOIN ${names}`;
}

/** Of most columns all values are empty: then only their number is written. */
function arraySql(values: readonly (string | number | null)[], type: string): string {
  if (values.every((value) => value === null || value === "" || value === 0))
    return `arrayResize(CAST([], 'Array(${type})'), ${values.length})`;
  return `CAST([${values.map(toSql).join(", ")}], 'Array(${type})')`;
}

function toSql(value: string | number | null): string {
  if (value === null) return "NULL";
  return typeof value === "number" ? String(value) : quoteText(value);
}
