/** The name of a column without an alias, as ClickHouse would give it: the expression as it was written. */
import { findFunction } from "../functions.ts";
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
    case "COMPARISON":
      return `${describe(node.left as Node)} ${COMPARISONS[String(node.type)] ?? "..."} ${describe(node.right as Node)}`;
    case "CONJUNCTION":
      return all(node.children).join(node.type === "CONJUNCTION_AND" ? " AND " : " OR ");
    case "OPERATOR":
      return describeOperator(String(node.type), all(node.children));
    case "SUBQUERY":
      return describeSubquery(node);
    default:
      return "...";
  }
}

function all(children: unknown): string[] {
  return (children as readonly Node[]).map(describe);
}

export const COMPARISONS: Readonly<Record<string, string>> = {
  COMPARE_EQUAL: "=",
  COMPARE_NOTEQUAL: "!=",
  COMPARE_LESSTHAN: "<",
  COMPARE_GREATERTHAN: ">",
  COMPARE_LESSTHANOREQUALTO: "<=",
  COMPARE_GREATERTHANOREQUALTO: ">=",
};

function describeOperator(type: string, [first = "", ...rest]: readonly string[]): string {
  switch (type) {
    case "OPERATOR_NOT":
      return `NOT ${first}`;
    case "OPERATOR_IS_NULL":
      return `${first} IS NULL`;
    case "OPERATOR_IS_NOT_NULL":
      return `${first} IS NOT NULL`;
    case "OPERATOR_COALESCE":
      return `coalesce(${[first, ...rest].join(", ")})`;
    case "COMPARE_IN":
      return `${first} IN (${rest.join(", ")})`;
    case "COMPARE_NOT_IN":
      return `${first} NOT IN (${rest.join(", ")})`;
    case "ARRAY_EXTRACT":
      return `${first}[${rest[0]}]`;
    case "ARRAY_CONSTRUCTOR":
      return `[${[first, ...rest].join(", ")}]`;
    default:
      return "...";
  }
}

/** A query inside of an expression is not repeated. */
function describeSubquery({ subquery_type, child }: Node): string {
  if (subquery_type === "EXISTS" || subquery_type === "NOT_EXISTS")
    return `${subquery_type === "EXISTS" ? "" : "NOT "}EXISTS (...)`;
  return child === null ? "(...)" : `${describe(child as Node)} IN (...)`;
}

/** The parser's names of LIKE. */
const LIKES: Readonly<Record<string, string>> = {
  "~~": "LIKE",
  "!~~": "NOT LIKE",
  "~~*": "ILIKE",
  "!~~*": "NOT ILIKE",
};

function describeCall(node: Node): string {
  const written = String(node.function_name);
  const name = findFunction(written)?.name ?? written;
  const args = all(node.children);
  if (written === "count_star") return "count()";
  // The parser's names of [a, b] and of (a, b).
  if (written === "list_value") return `[${args.join(", ")}]`;
  if (written === "array_extract") return `${args[0]}[${args[1]}]`;
  if (written === "row") return `(${args.join(", ")})`;
  if (node.is_operator === true && args.length === 2) return `${args[0]} ${LIKES[name] ?? name} ${args[1]}`;
  return `${name}(${node.distinct === true ? "DISTINCT " : ""}${args.join(", ")})`;
}

function describeConstant(value: Node): string {
  if (value.is_null === true) return "NULL";
  const plain = value.value;
  if (typeof plain === "string") return `'${plain}'`;
  const { id, type_info } = value.type as { id: string; type_info: { scale?: number } | null };
  if (typeof plain === "number" && id === "DECIMAL") return String(plain / 10 ** (type_info?.scale ?? 0));
  return typeof plain === "number" || typeof plain === "boolean" ? String(plain) : "...";
}
