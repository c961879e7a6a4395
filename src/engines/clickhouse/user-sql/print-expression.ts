/** Prints an expression by its class. */
import { findText, NOT_SUPPORTED, type Node, refuse } from "../../user-sql/check/tree.ts";
import { printConstant, quoteName } from "./constants.ts";
import { printFunction } from "./print-function.ts";
import { COMPARISONS, isListed, printShown, TYPES } from "./print-parts.ts";
import { printWindow } from "./print-window.ts";
import type { Budget, Printer } from "./printer.ts";

export function printExpression(printer: Printer, node: Node): string {
  const { budget, scope } = printer;
  budget.countExpression();
  const print = CLASSES[String(node.class)];
  const sql = budget.limited(print === undefined ? refuse(NOT_SUPPORTED) : print(printer, node));
  return scope.nullable.has(sql) ? `toNullable(${sql})` : sql;
}

const CLASSES: Readonly<Record<string, (printer: Printer, node: Node) => string>> = {
  CONSTANT: (_, { value }) => printConstant(value as Node),
  COLUMN_REF: (_, { column_names }) => (column_names as readonly string[]).map(quoteName).join("."),
  CAST: printCast,
  COMPARISON: ({ expression }, { type, left, right }) =>
    `(${expression(left as Node)} ${COMPARISONS[String(type)]} ${expression(right as Node)})`,
  CONJUNCTION: ({ expression }, { type, children }) =>
    `(${(children as readonly Node[]).map(expression).join(type === "CONJUNCTION_AND" ? " AND " : " OR ")})`,
  BETWEEN: ({ expression }, { type, input, lower, upper }) => {
    const [a, b, c] = [input, lower, upper].map((part) => expression(part as Node));
    return `(${a} ${type === "COMPARE_BETWEEN" ? "" : "NOT "}BETWEEN ${b} AND ${c})`;
  },
  OPERATOR: printOperator,
  CASE: ({ expression }, { case_checks, else_expr }) => {
    const whens = (case_checks as readonly { when_expr: Node; then_expr: Node }[]).map(
      ({ when_expr, then_expr }) => `WHEN ${expression(when_expr)} THEN ${expression(then_expr)}`,
    );
    return `CASE ${whens.join(" ")} ELSE ${expression(else_expr as Node)} END`;
  },
  SUBQUERY: printSubquery,
  FUNCTION: printFunction,
  WINDOW: printWindow,
};

function printSubquery(printer: Printer, { subquery_type, subquery, child, comparison_type }: Node): string {
  const sql = `(${printer.query((subquery as { node: Node }).node)})`;
  if (subquery_type === "SCALAR") return sql;
  if (subquery_type === "EXISTS") return `EXISTS ${sql}`;
  if (subquery_type === "NOT_EXISTS") return `NOT EXISTS ${sql}`;
  const value = printer.expression(child as Node);
  if (comparison_type === "COMPARE_EQUAL") return `(${value} IN ${sql})`;
  return `(${value} ${COMPARISONS[String(comparison_type)] ?? refuse(NOT_SUPPORTED)} ANY ${sql})`;
}

function printOperator({ expression, budget }: Printer, node: Node): string {
  const children = node.children as readonly Node[];
  const [first = "", ...rest] = children.map(expression);
  switch (node.type) {
    case "OPERATOR_NOT":
      return `(NOT ${first})`;
    case "OPERATOR_IS_NULL":
      return `(${first} IS NULL)`;
    case "OPERATOR_IS_NOT_NULL":
      return `(${first} IS NOT NULL)`;
    case "COMPARE_IN":
    case "COMPARE_NOT_IN": {
      const list = { isPositive: node.type === "COMPARE_IN", areConstant: children.slice(1).every(isListed) };
      return printIn(budget, list, first, rest);
    }
    case "OPERATOR_COALESCE":
      return `coalesce(${[first, ...rest].join(", ")})`;
    case "ARRAY_EXTRACT":
      return `arrayElementOrNull(${first}, ${rest[0]})`;
    case "ARRAY_SLICE":
      budget.repeat(rest[0]?.length ?? 0);
      return `arraySlice(${first}, ${rest[0]}, ${rest[1]} - ${rest[0]} + 1)`;
    case "ARRAY_CONSTRUCTOR":
      return `[${[first, ...rest].join(", ")}]`;
    case "GROUPING_FUNCTION":
      return `grouping(${[first, ...rest].join(", ")})`;
    default:
      return refuse(NOT_SUPPORTED);
  }
}

/** ClickHouse takes a lone name after IN for a table, of any project: only constants are listed there. */
function printIn(
  budget: Budget,
  { isPositive, areConstant }: { isPositive: boolean; areConstant: boolean },
  value: string,
  items: readonly string[],
): string {
  if (areConstant) return `(${value} ${isPositive ? "IN" : "NOT IN"} (${items.join(", ")}))`;
  budget.repeat(value.length * items.length, "IN has too many items that are not constants");
  const comparisons = items.map((item) => `(${value} ${isPositive ? "=" : "!="} ${item})`);
  return `(${comparisons.join(isPositive ? " OR " : " AND ")})`;
}

function printCast(printer: Printer, { child, cast_type, try_cast }: Node): string {
  const { id, type_info } = cast_type as { id: string; type_info: { width: number; scale: number } | null };
  const made = child as Node;
  const text = findText(made);
  if (id === "BOOLEAN" && (text === "t" || text === "f")) return text === "t" ? "true" : "false";
  const type = id === "DECIMAL" ? `Decimal(${type_info?.width}, ${type_info?.scale})` : TYPES[id];
  if (type === undefined) return refuse(`The type ${id} is not supported here`);
  return try_cast === true
    ? `accurateCastOrNull(${printer.expression(made)}, '${type}')`
    : `CAST(${id === "VARCHAR" ? printShown(printer, made) : printer.expression(made)} AS ${type})`;
}
