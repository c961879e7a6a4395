/**
 * Whether an expression of a checked tree is a number or a time, as far as its form tells: ClickHouse's conversions
 * take both, and a macro of DuckDB cannot look at the type of its argument.
 */
import { TABLES } from "../tables.ts";
import { isNumber, type Node } from "./tree.ts";

const NUMBERS = new Set([
  ...["user_unix", "user_unix_milli", "user_to_int", "user_to_uint", "user_to_int_or_zero", "user_to_int_or_null"],
  ...["user_to_float", "user_to_float_or_zero", "user_to_float_or_null", "user_json_int", "user_json_float"],
  ...["count", "count_star", "epoch", "date_diff", "date_sub"],
]);
/** Numbers if their first argument is one. */
const OF_NUMBERS = new Set([
  ...["+", "-", "*", "/", "//", "%", "abs", "ceil", "floor", "round", "trunc", "greatest", "least", "coalesce"],
  ...["min", "max", "any_value", "sum", "avg", "user_same"],
]);
const TIMES = /^user_(?:to_time|to_second|to_time_or_null|now|now64|from_unix\w*|start_\w+|add_\w+|subtract_\w+)$/;
const OF_TIMES = new Set([
  ...["min", "max", "any_value", "user_same", "date_trunc", "greatest", "least", "nullif", "+", "-"],
]);
const SMALL_NUMBER = /^user_to_u?int(?:8|16|32)$/;
const NUMERIC_TYPES = /INT$|^(?:TINYINT|INTEGER|FLOAT|DOUBLE|DECIMAL)$/;

/** Columns that are a time in every table that has them. */
const TIME_COLUMNS: ReadonlySet<string> = new Set(
  TABLES.flatMap(({ columns }) => columns.filter(({ type }) => type === "DateTime").map(({ name }) => name)),
);

export function isNumeric(node: Node | undefined): boolean {
  if (node === undefined) return false;
  if (node.class === "CONSTANT") return isNumber((node.value as { value?: unknown }).value);
  if (node.class === "CAST") return NUMERIC_TYPES.test(String((node.cast_type as { id: string }).id));
  if (node.class !== "FUNCTION") return false;
  const name = String(node.function_name);
  return (
    NUMBERS.has(name) ||
    SMALL_NUMBER.test(name) ||
    (OF_NUMBERS.has(name) && isNumeric((node.children as readonly Node[])[0]))
  );
}

export function isTime(node: Node | undefined): boolean {
  if (node?.class === "COLUMN_REF") return TIME_COLUMNS.has((node.column_names as readonly string[]).at(-1) ?? "");
  if (node?.class === "CAST") return String((node.cast_type as { id: string }).id).startsWith("TIMESTAMP");
  if (node?.class === "OPERATOR")
    return node.type === "OPERATOR_COALESCE" && (node.children as readonly Node[]).some(isTime);
  if (node?.class === "CASE")
    return (node.case_checks as readonly { then_expr: Node }[]).some(({ then_expr }) => isTime(then_expr));
  if (node?.class !== "FUNCTION") return false;
  const name = String(node.function_name);
  return TIMES.test(name) || (OF_TIMES.has(name) && (node.children as readonly Node[]).some(isTime));
}
