/** The name of a column without an alias, as ClickHouse would give it: the expression as it was written. */
import { findFunction } from "../../user-sql/functions.ts";
import type { Node } from "./tree.ts";

const MOST_CHARS = 60;

/** Undefined for a column. Every other expression needs a name: DuckDB's own would show our subqueries. */
export function findColumnName(node: Node): string | undefined {
  return node.class === "COLUMN_REF" ? undefined : describe(node).slice(0, MOST_CHARS);
}

function describe(node: Node): string {
  switch (node.class) {
    case "FUNCTION":
    case "WINDOW":
      return describeCall(node);
    case "COLUMN_REF":
      return (node.column_names as readonly string[]).join(".");
    case "CAST":
      return describe(node.child as Node);
    case "CONSTANT":
      return describeConstant(node.value as Node);
    default:
      return "...";
  }
}

function describeCall(node: Node): string {
  const written = String(node.function_name);
  const name = findFunction(written)?.name ?? written;
  const args = (node.children as readonly Node[]).map(describe);
  if (written === "count_star") return "count()";
  if (node.is_operator === true && args.length === 2) return `${args[0]} ${name} ${args[1]}`;
  return `${name}(${node.distinct === true ? "DISTINCT " : ""}${args.join(", ")})`;
}

function describeConstant(value: Node): string {
  if (value.is_null === true) return "NULL";
  const plain = value.value;
  if (typeof plain === "string") return `'${plain}'`;
  return typeof plain === "number" || typeof plain === "boolean" ? String(plain) : "...";
}
