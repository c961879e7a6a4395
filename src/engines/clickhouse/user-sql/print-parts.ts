/** What the printer knows of names, types and functions of ClickHouse. */
import { COMPARISONS as PLAIN_COMPARISONS } from "../../user-sql/check/column-name.ts";
import type { Node } from "../../user-sql/check/tree.ts";
import { asTime } from "./functions.ts";
import type { Printer } from "./printer.ts";
import { isCondition, isInterval, isNull, isUnsigned } from "./value-kinds.ts";

/** Functions whose result is one of their arguments, or holds it. */
export const KEEPING = new Set(["list", "list_value", "any_value", "min", "max", "arg_min", "arg_max", "mode", "row"]);

/** ClickHouse names a column of a join with its table, if another has the same name. */
export function columnName({ class: kind, column_names }: Node): string {
  return kind === "COLUMN_REF" ? ((column_names as readonly string[]).at(-1) ?? "") : "";
}

/** Window functions whose value is NULL where there is no row: ClickHouse gives 0 or '' for a type without NULL. */
export function isOfOtherRow(name: string, extra: number): boolean {
  return /^(?:first|last|nth)_value$/.test(name) || (/^(?:lag|lead)$/.test(name) && extra < 2);
}

/** The other side of an interval is a time. */
export function besideInterval(given: readonly Node[]): (sql: string, at: number) => string {
  return (sql, at) => (given.length === 2 && isInterval(given[1 - at]) && !isInterval(given[at]) ? asTime(sql) : sql);
}

/** A value that is shown or kept: a condition is true or false, not 1 or 0. */
export function printShown({ expression }: Printer, node: Node): string {
  return isCondition(node) ? `CAST(${expression(node)} AS Bool)` : expression(node);
}

export function textOrEmpty(sql: string): string {
  return `ifNull(${sql}, '')`;
}

const MAYBE_UNSIGNED = new Set(["abs", "sum", "user_sum_or_null", "+", "*"]);

/** ClickHouse refuses UInt64 beside a negative number. A difference of integers is signed, and a float stays one. */
export function signed(name: string, sql: string): string {
  if (MAYBE_UNSIGNED.has(name)) return `(${sql} - 0)`;
  return isUnsigned(name) ? `toInt64(${sql})` : sql;
}

export function nullable(value: string, at: number): string {
  return at === 0 ? `toNullable(${value})` : value;
}

/** ClickHouse leaves out a NULL in a list, where `1 IN (2, NULL)` is NULL. */
export function isListed(node: Node): boolean {
  return isConstant(node) && !isNull(node);
}

/** A literal, or a cast, a negative or a tuple of literals. */
function isConstant(node: Node): boolean {
  if (node.class === "CONSTANT") return true;
  if (node.class === "CAST") return isConstant(node.child as Node);
  if (node.class !== "FUNCTION" || (node.function_name !== "-" && node.function_name !== "row")) return false;
  return (node.children as readonly Node[]).every(isConstant);
}

export const COMPARISONS: Readonly<Record<string, string>> = {
  ...PLAIN_COMPARISONS,
  COMPARE_DISTINCT_FROM: "IS DISTINCT FROM",
  COMPARE_NOT_DISTINCT_FROM: "IS NOT DISTINCT FROM",
};

export const TYPES: Readonly<Record<string, string>> = {
  BOOLEAN: "Bool",
  TINYINT: "Int8",
  SMALLINT: "Int16",
  INTEGER: "Int32",
  BIGINT: "Int64",
  HUGEINT: "Int128",
  UTINYINT: "UInt8",
  USMALLINT: "UInt16",
  UINTEGER: "UInt32",
  UBIGINT: "UInt64",
  FLOAT: "Float32",
  DOUBLE: "Float64",
  VARCHAR: "String",
  DATE: "Date",
  TIMESTAMP: "DateTime64(3, 'UTC')",
  TIMESTAMP_MS: "DateTime64(3, 'UTC')",
  TIMESTAMP_S: "DateTime('UTC')",
  UUID: "UUID",
};
