/**
 * Checks an expression of a user's statement and makes it anew, from the parts that are known. Expressions, functions
 * and relations contain each other: this file calls the other two through `Checks`.
 */
import { STATEMENT_LIMITS } from "../limits.ts";
import { checkType, isText } from "./check-types.ts";
import type { Context } from "./context.ts";
import {
  absent,
  call,
  caseOf,
  cast,
  fieldsOf,
  flag,
  isNumber,
  list,
  NOT_SUPPORTED,
  NOWHERE,
  type Node,
  nameOf,
  names,
  not,
  oneOf,
  operator,
  refuse,
  text,
  textConstant,
} from "./tree.ts";

export interface Checks {
  expression(node: unknown): Node;
  call(node: Node): Node;
  window(node: Node): Node;
  /** A subquery and its number of columns. */
  query(node: unknown): {
    readonly node: Node;
    readonly width: number;
    readonly columns?: readonly string[] | undefined;
  };
}

const COMPARISONS = [
  "COMPARE_EQUAL",
  "COMPARE_NOTEQUAL",
  "COMPARE_LESSTHAN",
  "COMPARE_GREATERTHAN",
  "COMPARE_LESSTHANOREQUALTO",
  "COMPARE_GREATERTHANOREQUALTO",
  "COMPARE_DISTINCT_FROM",
  "COMPARE_NOT_DISTINCT_FROM",
] as const;

const OPERATORS = [
  "OPERATOR_NOT",
  "OPERATOR_IS_NULL",
  "OPERATOR_IS_NOT_NULL",
  "OPERATOR_COALESCE",
  "COMPARE_IN",
  "COMPARE_NOT_IN",
  "ARRAY_EXTRACT",
  "ARRAY_SLICE",
  "STRUCT_EXTRACT",
  "GROUPING_FUNCTION",
  "ARRAY_CONSTRUCTOR",
] as const;

const CONSTANTS = ["INTEGER", "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "NULL"] as const;

const COMMON = ["class", "type", "alias", "query_location"] as const;

export function checkExpression(context: Context, checks: Checks, node: unknown): Node {
  return context.within(() => {
    const kind = (node as { class?: unknown } | null)?.class;
    const check = typeof kind === "string" && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    if (check === undefined) return refuse(typeof kind === "string" ? unknownPart(kind) : NOT_SUPPORTED);
    return check(node as Node, checks, context);
  });
}

type Check = (node: Node, checks: Checks, context: Context) => Node;

/** The words that users know, for parts that are refused. */
const REFUSED: Readonly<Record<string, string>> = {
  STAR: "* is allowed only in the list of columns and in count(*)",
  PARAMETER: "Parameters are not supported",
  LAMBDA: "-> is not supported",
  POSITIONAL_REFERENCE: "References by position (#1) are not supported",
  COLLATE: "COLLATE is not supported",
  DEFAULT: "DEFAULT is not supported",
};

function unknownPart(kind: string): string {
  return REFUSED[kind] ?? `${NOT_SUPPORTED} (${kind.slice(0, 40).toLowerCase()})`;
}

const KINDS: Readonly<Record<string, Check>> = {
  CONSTANT: checkConstant,
  COLUMN_REF: checkColumn,
  CAST: checkCast,
  COMPARISON(node, checks) {
    const { left, right, type, alias } = fieldsOf(node, ...COMMON, "left", "right");
    const common = { class: "COMPARISON", type: oneOf(type, COMPARISONS, NOT_SUPPORTED), alias: nameOf(alias) };
    return { ...common, ...NOWHERE, left: checks.expression(left), right: checks.expression(right) };
  },
  CONJUNCTION(node, checks) {
    const { children, type, alias } = fieldsOf(node, ...COMMON, "children");
    const word = oneOf(type, ["CONJUNCTION_AND", "CONJUNCTION_OR"], NOT_SUPPORTED);
    const parts = list(children).map(checks.expression);
    return { class: "CONJUNCTION", type: word, alias: nameOf(alias), ...NOWHERE, children: parts };
  },
  BETWEEN(node, checks) {
    const { input, lower, upper, type, alias } = fieldsOf(node, ...COMMON, "input", "lower", "upper");
    const word = oneOf(type, ["COMPARE_BETWEEN", "COMPARE_NOT_BETWEEN"], NOT_SUPPORTED);
    const [a, b, c] = [input, lower, upper].map(checks.expression);
    return { class: "BETWEEN", type: word, alias: nameOf(alias), ...NOWHERE, input: a, lower: b, upper: c };
  },
  OPERATOR(node, checks) {
    const { children, type, alias } = fieldsOf(node, ...COMMON, "children");
    const made = list(children).map(checks.expression);
    const [only] = made;
    if (type === "OPERATOR_NOT" && only !== undefined) return not(only, nameOf(alias));
    return operator(oneOf(type, OPERATORS, NOT_SUPPORTED), made, nameOf(alias));
  },
  CASE(node, checks) {
    const { case_checks, else_expr, alias } = fieldsOf(node, ...COMMON, "case_checks", "else_expr");
    const whens = list(case_checks).map((each) => {
      const { when_expr, then_expr } = fieldsOf(each, "when_expr", "then_expr");
      return { when_expr: checks.expression(when_expr), then_expr: checks.expression(then_expr) };
    });
    return caseOf(whens, checks.expression(else_expr), nameOf(alias));
  },
  SUBQUERY(node, checks) {
    const fields = fieldsOf(node, ...COMMON, "subquery_type", "subquery", "child", "comparison_type");
    const type = oneOf(fields.subquery_type, ["SCALAR", "EXISTS", "NOT_EXISTS", "ANY"], NOT_SUPPORTED);
    const comparison = oneOf(fields.comparison_type, [...COMPARISONS, "INVALID"], NOT_SUPPORTED);
    return {
      class: "SUBQUERY",
      type: "SUBQUERY",
      alias: nameOf(fields.alias),
      ...NOWHERE,
      subquery_type: type,
      subquery: checks.query(fields.subquery).node,
      child: fields.child === null ? null : checks.expression(fields.child),
      comparison_type: comparison,
    };
  },
  FUNCTION: (node, checks) => checks.call(node),
  WINDOW: (node, checks) => checks.window(node),
};

function checkConstant(node: Node): Node {
  const { value, alias } = fieldsOf(node, ...COMMON, "value");
  const constant = fieldsOf(value, "type", "is_null", "value");
  const type = fieldsOf(constant.type, "id", "type_info");
  const common = { class: "CONSTANT", type: "VALUE_CONSTANT", alias: nameOf(alias), ...NOWHERE };
  const isNull = flag(constant.is_null);
  if (type.id === "DECIMAL" || type.id === "HUGEINT") {
    if (isNull) refuse(NOT_SUPPORTED);
    return { ...common, value: { type: wideType(type), is_null: false, value: wideNumber(constant.value) } };
  }
  const id = oneOf(type.id, CONSTANTS, NOT_SUPPORTED);
  absent(type.type_info, NOT_SUPPORTED);
  if (isNull) return { ...common, value: { type: { id, type_info: null }, is_null: true } };
  const plain = constant.value;
  const fits =
    (id === "VARCHAR" && typeof plain === "string") ||
    (id === "BOOLEAN" && typeof plain === "boolean") ||
    isNumber(plain);
  if (!fits) refuse(NOT_SUPPORTED);
  // DuckDB prints 1e3 as 1000.0, which it reads as a decimal.
  if (id === "DOUBLE")
    return { ...cast(textConstant(JSON.stringify(plain)), { id, type_info: null }), alias: nameOf(alias) };
  return { ...common, value: { type: { id, type_info: null }, is_null: false, value: plain } };
}

function wideType(type: Node): Node {
  if (type.id === "HUGEINT") return { id: "HUGEINT", type_info: null };
  return checkType(type);
}

/** Numbers beyond 64 bits have two halves. */
function wideNumber(value: unknown): unknown {
  if (isNumber(value)) return value;
  const { upper, lower } = fieldsOf(value, "upper", "lower");
  if (!isNumber(upper) || !isNumber(lower)) refuse(NOT_SUPPORTED);
  return { upper, lower };
}

/** Names that DuckDB evaluates as functions when no column has them. The others tell about the engine. */
const TIMES: Readonly<Record<string, string>> = {
  current_date: "user_today",
  current_timestamp: "user_now",
  localtimestamp: "user_now",
};
const ENGINE_WORDS = ["current_catalog", "current_schema", "current_role", "current_user", "session_user", "user"];
const OTHER_WORDS = ["current_time", "localtime", "rowid"];

function checkColumn(node: Node): Node {
  const { column_names, alias } = fieldsOf(node, ...COMMON, "column_names");
  const parts = names(column_names);
  const word = (parts.length === 1 ? (parts[0] ?? "") : "").toLowerCase();
  if (ENGINE_WORDS.includes(word) || OTHER_WORDS.includes(word)) refuse(`There is no column ${word}`);
  const time = Object.hasOwn(TIMES, word) ? TIMES[word] : undefined;
  if (time !== undefined) return call(time, [], { alias: nameOf(alias) });
  if (parts.length === 0 || parts.length > 3) refuse(NOT_SUPPORTED);
  return { class: "COLUMN_REF", type: "COLUMN_REF", alias: nameOf(alias), ...NOWHERE, column_names: parts };
}

function checkCast(node: Node, checks: Checks, context: Context): Node {
  const { child, cast_type, try_cast, alias } = fieldsOf(node, ...COMMON, "child", "cast_type", "try_cast");
  const type = checkType(cast_type);
  const made = checks.expression(child);
  if (isText(type) && made.class !== "CONSTANT") context.count("longerTexts");
  return { ...cast(made, type, flag(try_cast)), alias: nameOf(alias) };
}

/** `*` in a list of columns, with EXCLUDE and REPLACE. */
export function checkStar(checks: Checks, node: Node): Node {
  const fields = fieldsOf(
    node,
    ...COMMON,
    "relation_name",
    "exclude_list",
    "replace_list",
    "columns",
    "expr",
    "qualified_exclude_list",
    "rename_list",
  );
  absent(fields.columns, "COLUMNS(...) is not supported");
  absent(fields.expr, "COLUMNS(...) is not supported");
  absent(fields.rename_list, "RENAME is not supported");
  absent(fields.qualified_exclude_list, "EXCLUDE takes plain names");
  const replaced = list(fields.replace_list).map((each) => {
    const { key, value } = fieldsOf(each, "key", "value");
    return { key: nameOf(key), value: checks.expression(value) };
  });
  if (replaced.length > STATEMENT_LIMITS.columns) refuse(NOT_SUPPORTED);
  return {
    class: "STAR",
    type: "STAR",
    alias: "",
    ...NOWHERE,
    relation_name: nameOf(fields.relation_name),
    exclude_list: names(fields.exclude_list),
    replace_list: replaced,
    columns: false,
    expr: null,
    qualified_exclude_list: [],
    rename_list: [],
  };
}

/** ORDER BY, also inside of aggregates and windows. */
export function checkOrders(checks: Checks, orders: unknown): Node[] {
  return list(orders).map((each) => {
    const { type, null_order, expression } = fieldsOf(each, "type", "null_order", "expression");
    return {
      type: oneOf(type, ["ORDER_DEFAULT", "ASCENDING", "DESCENDING"], NOT_SUPPORTED),
      null_order: oneOf(null_order, ["ORDER_DEFAULT", "NULLS FIRST", "NULLS LAST"], NOT_SUPPORTED),
      expression: checks.expression(expression),
    };
  });
}

/** SELECTs that are made, with the number of expressions that each stands for: in a subquery its own aliases count. */
const WEIGHED = new WeakMap<object, number>();

export function keepWeight(select: Node, weight: number): Node {
  WEIGHED.set(select, weight);
  return select;
}

/** The number of expressions that an expression stands for, where `weights` has those of aliases. */
export function weigh(node: unknown, weights: ReadonlyMap<string, number>): number {
  if (Array.isArray(node)) return node.reduce((sum: number, each) => sum + weigh(each, weights), 0);
  if (typeof node !== "object" || node === null) return 0;
  const known = WEIGHED.get(node);
  if (known !== undefined) return known;
  const { class: kind, column_names } = node as { class?: unknown; column_names?: unknown };
  if (kind === "COLUMN_REF" && Array.isArray(column_names)) {
    const [name] = column_names.length === 1 ? column_names : [];
    return weights.get(text(name ?? "").toLowerCase()) ?? 1;
  }
  return Object.values(node).reduce((sum: number, each) => sum + weigh(each, weights), kind === undefined ? 0 : 1);
}
