/**
 * Reading and making nodes of DuckDB's statement tree (json_serialize_sql). A node is read field by field: a field or a
 * value that is not expected, for example of a later version, refuses the statement.
 */

import { STATEMENT_LIMITS } from "../limits.ts";
import { StatementRefused } from "../statement-refused.ts";

export type Node = Readonly<Record<string, unknown>>;

/** The runtime has `rawJSON`, but TypeScript's own types do not yet. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};
type Reviver = (this: object, name: string, value: unknown) => unknown;

/** Positions in the text are of no use in another text, and do not fit into a JavaScript number. */
const NOWHERE = { query_location: 0 } as const;

/** Numbers that JavaScript cannot hold keep their text. */
export function parseTree(text: string): Node {
  const keep = (name: string, value: unknown, { source }: { source?: string }) => {
    if (name === "query_location") return undefined;
    return typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value;
  };
  try {
    return JSON.parse(text, keep as unknown as Reviver) as Node;
  } catch {
    // DuckDB writes Infinity, which is not JSON.
    throw new StatementRefused("A number of the query is too large");
  }
}

export function refuse(what: string): never {
  throw new StatementRefused(what);
}

/** Refuses a node with other fields than these. */
export function fieldsOf(node: unknown, ...known: readonly string[]): Node {
  if (typeof node !== "object" || node === null || Array.isArray(node)) return refuse(NOT_SUPPORTED);
  for (const name of Object.keys(node)) if (!known.includes(name)) return refuse(`${NOT_SUPPORTED} (${name})`);
  return node as Node;
}

export const NOT_SUPPORTED = "The query has a part that is not supported";

export function text(value: unknown): string {
  return typeof value === "string" ? value : refuse(NOT_SUPPORTED);
}

export function flag(value: unknown): boolean {
  return typeof value === "boolean" ? value : refuse(NOT_SUPPORTED);
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(NOT_SUPPORTED);
}

export function oneOf<const T extends string>(value: unknown, allowed: readonly T[], what: string): T {
  return allowed.find((each) => each === value) ?? refuse(what);
}

/** A name that the user chose: of a column, an alias or a CTE. Those with `our ` are of what we write around it. */
export function nameOf(value: unknown): string {
  const name = text(value);
  if (/^our /i.test(name)) refuse('Names that begin with "our " are not available');
  if (name.length > STATEMENT_LIMITS.nameChars) refuse(`A name has more than ${STATEMENT_LIMITS.nameChars} characters`);
  return name;
}

export function names(value: unknown): string[] {
  return list(value).map(nameOf);
}

/** The value must be empty: a part of the syntax that is refused when it is used. */
export function absent(value: unknown, what: string): void {
  const isEmpty =
    value === undefined ||
    value === null ||
    value === "" ||
    value === false ||
    (Array.isArray(value) && value.length === 0);
  if (!isEmpty) refuse(what);
}

export function isNumber(value: unknown): boolean {
  return typeof value === "number" || isRawJSON(value);
}

export function integer(value: number): Node {
  return constant("INTEGER", value);
}

export function textConstant(value: string): Node {
  return constant("VARCHAR", value);
}

function constant(id: string, value: string | number): Node {
  return {
    class: "CONSTANT",
    type: "VALUE_CONSTANT",
    alias: "",
    ...NOWHERE,
    value: { type: { id, type_info: null }, is_null: false, value },
  };
}

export function column(table: string, name: string): Node {
  return { class: "COLUMN_REF", type: "COLUMN_REF", alias: "", ...NOWHERE, column_names: [table, name] };
}

export interface CallParts {
  readonly distinct?: boolean;
  readonly filter?: Node | null;
  readonly orders?: readonly Node[];
  readonly alias?: string;
  readonly isOperator?: boolean;
}

export function call(name: string, children: readonly Node[], parts: CallParts = {}): Node {
  return {
    class: "FUNCTION",
    type: "FUNCTION",
    alias: parts.alias ?? "",
    ...NOWHERE,
    function_name: name,
    schema: "",
    children,
    filter: parts.filter ?? null,
    order_bys: { type: "ORDER_MODIFIER", orders: parts.orders ?? [] },
    distinct: parts.distinct ?? false,
    is_operator: parts.isOperator ?? false,
    export_state: false,
    catalog: "",
  };
}

export function operator(type: string, children: readonly Node[], alias = ""): Node {
  return { class: "OPERATOR", type, alias, ...NOWHERE, children };
}

export function equal(left: Node, right: Node): Node {
  return { class: "COMPARISON", type: "COMPARE_EQUAL", alias: "", ...NOWHERE, left, right };
}

/** The parser reads `(a AND b) AND c` as one conjunction. */
export function and(left: Node, right: Node): Node {
  const parts = left.type === "CONJUNCTION_AND" ? (left.children as readonly Node[]) : [left];
  return { class: "CONJUNCTION", type: "CONJUNCTION_AND", alias: "", ...NOWHERE, children: [...parts, right] };
}

/** The parser itself writes `NOT a = b` as `a != b`, and a printed tree must stay the same. */
export function not(node: Node, alias = ""): Node {
  if (node.class === "COMPARISON" && node.type === "COMPARE_EQUAL") return { ...node, type: "COMPARE_NOTEQUAL", alias };
  return operator("OPERATOR_NOT", [node], alias);
}

export function castToText(child: Node, alias = ""): Node {
  return { ...cast(child, { id: "VARCHAR", type_info: null }), alias };
}

export function cast(child: Node, type: Node, isTry = false): Node {
  return {
    class: "CAST",
    type: "OPERATOR_CAST",
    alias: "",
    ...NOWHERE,
    child,
    cast_type: type,
    try_cast: isTry,
  };
}

export interface When {
  readonly when_expr: Node;
  readonly then_expr: Node;
}

export function caseOf(checks: readonly When[], otherwise: Node, alias = ""): Node {
  return { class: "CASE", type: "CASE_EXPR", alias, ...NOWHERE, case_checks: checks, else_expr: otherwise };
}

export { NOWHERE };

export function subquery(node: Node, alias: string, columns: readonly string[]): Node {
  const common = { type: "SUBQUERY", alias, sample: null, ...NOWHERE };
  return { ...common, subquery: { node, named_param_map: [] }, column_name_alias: columns };
}

/** SELECT columns FROM a relation. */
export function plainSelect(columns: readonly Node[], from: Node): Node {
  return {
    type: "SELECT_NODE",
    modifiers: [],
    cte_map: { map: [] },
    select_list: columns,
    from_table: from,
    where_clause: null,
    group_expressions: [],
    group_sets: [],
    aggregate_handling: "STANDARD_HANDLING",
    having: null,
    sample: null,
    qualify: null,
  };
}

/** The text of a constant, or undefined for any other expression. */
export function findText(node: Node): string | undefined {
  if (node.class !== "CONSTANT") return undefined;
  const value = node.value as { type: { id: string }; value?: unknown };
  return value.type.id === "VARCHAR" && typeof value.value === "string" ? value.value : undefined;
}

/** The value of a whole number, or undefined for any other expression. */
export function findInteger(node: Node): number | undefined {
  if (node.class !== "CONSTANT") return undefined;
  const value = node.value as { type: { id: string }; value?: unknown };
  if (value.type.id !== "INTEGER" && value.type.id !== "BIGINT") return undefined;
  if (isRawJSON(value.value)) return Number.MAX_SAFE_INTEGER;
  return typeof value.value === "number" ? value.value : undefined;
}
