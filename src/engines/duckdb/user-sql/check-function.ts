/**
 * Checks a call of a function and makes it anew under its name in DuckDB. Functions that could make a value of any
 * size, or take any time over one value, get shorter arguments: no interrupt reaches a single call.
 */
import { findFunction, type UserFunction } from "../../user-sql/functions.ts";
import { STATEMENT_LIMITS } from "../../user-sql/limits.ts";
import { type Checks, checkOrders, weigh } from "./check-expression.ts";
import { CLICKHOUSE_VALUES } from "./clickhouse-values.ts";
import type { Context } from "./context.ts";
import { refuseLongInterval } from "./intervals.ts";
import { cut, like, readPattern } from "./patterns.ts";
import { strftimeOf } from "./time-format.ts";
import { withoutZone } from "./time-zones.ts";
import {
  absent,
  and,
  type CallParts,
  call,
  caseOf,
  castToText,
  fieldsOf,
  findText,
  flag,
  integer,
  list,
  NOT_SUPPORTED,
  NOWHERE,
  type Node,
  nameOf,
  oneOf,
  operator,
  refuse,
  text,
  textConstant,
} from "./tree.ts";
import { isNumeric, isTime } from "./value-kinds.ts";

export interface Call {
  /** Lower case. */
  readonly name: string;
  readonly children: readonly Node[];
  readonly parts: CallParts;
}

export function checkCall(context: Context, checks: Checks, node: Node): Node {
  const fields = fieldsOf(
    node,
    ...["class", "type", "alias", "query_location", "function_name", "schema", "children", "filter", "order_bys"],
    ...["distinct", "is_operator", "export_state", "catalog"],
  );
  const name = plainName(fields);
  absent(fields.export_state, "EXPORT_STATE is not supported");
  const children = list(fields.children).map((child) => {
    absent((child as Node).alias, "Named arguments are not supported");
    return checks.expression(child);
  });
  const filter = fields.filter === null ? null : checks.expression(fields.filter);
  const order = fieldsOf(fields.order_bys, "type", "orders");
  const parts: CallParts = {
    alias: nameOf(fields.alias),
    distinct: flag(fields.distinct),
    filter,
    orders: checkOrders(checks, order.orders),
    isOperator: flag(fields.is_operator),
  };
  const key = name.toLowerCase();
  return make(context, withoutIf({ name: key, children: withoutZone(key, children), parts }, name));
}

export function checkWindow(checks: Checks, node: Node): Node {
  const fields = fieldsOf(
    node,
    ...["class", "type", "alias", "query_location", "function_name", "schema", "catalog", "children", "partitions"],
    ...["orders", "start", "end", "start_expr", "end_expr", "offset_expr", "default_expr", "ignore_nulls"],
    ...["filter_expr", "exclude_clause", "distinct", "arg_orders"],
  );
  const optional = (value: unknown) => (value === null || value === undefined ? null : checks.expression(value));
  const children = list(fields.children).map(checks.expression);
  const filter = optional(fields.filter_expr);
  const given: Call = {
    name: plainName(fields).toLowerCase(),
    children,
    parts: { filter, distinct: flag(fields.distinct) },
  };
  const over = withoutIf(given, plainName(fields));
  const { name, distinct } = windowName(over);
  absent(fields.arg_orders, NOT_SUPPORTED);
  // DuckDB reads the whole frame for each row, and hears no interrupt meanwhile: a million rows did not end.
  if (fields.exclude_clause !== "NO_OTHER") refuse("EXCLUDE is not supported in a window");
  if (distinct && isSliding(fields)) refuse(NO_DISTINCT);
  return {
    class: "WINDOW",
    type: oneOf(fields.type, WINDOW_TYPES, NOT_SUPPORTED),
    alias: nameOf(fields.alias),
    ...NOWHERE,
    function_name: name,
    schema: "",
    catalog: "",
    children: over.children,
    partitions: list(fields.partitions).map(checks.expression),
    orders: checkOrders(checks, fields.orders),
    start: oneOf(fields.start, BOUNDARIES, NOT_SUPPORTED),
    end: oneOf(fields.end, BOUNDARIES, NOT_SUPPORTED),
    start_expr: optional(fields.start_expr),
    end_expr: optional(fields.end_expr),
    offset_expr: optional(fields.offset_expr),
    default_expr: optional(fields.default_expr),
    ignore_nulls: flag(fields.ignore_nulls),
    filter_expr: over.parts.filter ?? null,
    exclude_clause: "NO_OTHER",
    distinct,
    arg_orders: [],
  };
}

const WINDOW_TYPES = [
  ...["WINDOW_AGGREGATE", "WINDOW_RANK", "WINDOW_RANK_DENSE", "WINDOW_NTILE", "WINDOW_PERCENT_RANK"],
  ...["WINDOW_CUME_DIST", "WINDOW_ROW_NUMBER", "WINDOW_FIRST_VALUE", "WINDOW_LAST_VALUE", "WINDOW_LEAD"],
  ...["WINDOW_LAG", "WINDOW_NTH_VALUE"],
] as const;
const BOUNDARIES = [
  ...["UNBOUNDED_PRECEDING", "UNBOUNDED_FOLLOWING", "CURRENT_ROW_RANGE", "CURRENT_ROW_ROWS", "EXPR_PRECEDING_ROWS"],
  ...["EXPR_FOLLOWING_ROWS", "EXPR_PRECEDING_RANGE", "EXPR_FOLLOWING_RANGE"],
] as const;

const NO_DISTINCT =
  "Distinct values cannot be counted in a window whose frame slides: begin the frame with UNBOUNDED PRECEDING";

function isSliding({ start, end }: Node): boolean {
  return start !== "UNBOUNDED_PRECEDING" || /^EXPR_/.test(text(end));
}

/** The parser itself writes `main` before the functions behind some syntax. */
function plainName({ function_name, schema, catalog }: Node): string {
  const name = text(function_name);
  if ((schema !== "" && schema !== "main") || catalog !== "") refuse(`There is no function ${String(schema)}.${name}`);
  return name;
}

function windowName({ name, parts }: Call): { name: string; distinct: boolean } {
  if (name === "count" || name === "count_star") return { name, distinct: parts.distinct ?? false };
  if (DISTINCT.has(name)) return { name: "count", distinct: true };
  const known = findFunction(name);
  if (known === undefined || known.kind === "scalar" || known.duckdb.startsWith("user_") || known.duckdb === "")
    return refuse(`There is no window function ${name.slice(0, 40)}`);
  return { name: known.duckdb, distinct: parts.distinct ?? false };
}

/** countIf(condition), sumIf(value, condition) ... are aggregates with a filter. */
function withoutIf(given: Call, spelt: string): Call {
  const { name, children, parts } = given;
  if (!name.endsWith("if") || findFunction(name) !== undefined) return given;
  const base = name.slice(0, -2);
  const condition = children.at(-1);
  if (findFunction(base)?.kind !== "aggregate" || condition === undefined) return refuse(unknown(spelt));
  if (parts.filter) refuse(`${spelt} takes no FILTER`);
  const rest = children.slice(0, -1);
  const counted = base === "count" && rest.length === 0 ? "count_star" : base;
  return { name: counted, children: rest, parts: { ...parts, filter: condition } };
}

function unknown(name: string): string {
  return `There is no function ${name.slice(0, 60)}`;
}

const DISTINCT = new Set(["uniq", "uniqexact", "uniqcombined", "uniqhll12", "countdistinct"]);
const PAIRS = new Set(["argmin", "arg_min", "argmax", "arg_max", "corr", "quantile_cont", "quantile_disc"]);

function make(context: Context, given: Call): Node {
  const { name, children, parts } = given;
  const own = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
  if (own !== undefined) return own(given, context);
  if (DISTINCT.has(name)) return call("count", children, { ...parts, distinct: true });
  const known = findFunction(name);
  if (known === undefined || known.duckdb === "") return refuse(unknown(name));
  if (known.kind === "window") return refuse(`${known.name} needs OVER (...)`);
  if (known.kind === "aggregate") return aggregate(known, given);
  refuseAggregateParts(known.name, parts);
  if (known.duckdb === "list_value" && children.length > STATEMENT_LIMITS.listItems)
    refuse(`An array has more than ${STATEMENT_LIMITS.listItems} items`);
  if (known.duckdb === "unnest" && children.length !== 1) refuse("arrayJoin takes one array");
  refuseLongInterval(known.duckdb, children);
  // The number of a time is its seconds since 1970.
  const toNumber = /^user_to_u?int(?:8|16|32)?$/.test(known.duckdb) && children.length === 1;
  const made = toNumber && isTime(children[0]) ? "user_unix" : known.duckdb;
  return call(made, children, { alias: parts.alias ?? "", isOperator: isOperator(known.duckdb) });
}

function aggregate(known: UserFunction, { name, children, parts }: Call): Node {
  const wanted = PAIRS.has(name) ? 2 : 1;
  if (children.length !== wanted) return refuse(`${known.name} takes ${wanted} argument${wanted === 1 ? "" : "s"}`);
  if (known.duckdb.startsWith("user_")) refuseAggregateParts(known.name, parts);
  return call(known.duckdb, children, { ...parts, isOperator: false });
}

function refuseAggregateParts(name: string, { distinct, filter, orders }: CallParts): void {
  if (distinct || filter || (orders?.length ?? 0) > 0) refuse(`${name} takes no DISTINCT, FILTER or ORDER BY`);
}

function isOperator(name: string): boolean {
  return !/^\w/.test(name);
}

export type Own = (given: Call, context: Context) => Node;

const OWN: Readonly<Record<string, Own>> = {
  count_star: ({ children, parts }) => call("count_star", children.slice(0, 0), parts),
  count({ children, parts }) {
    if (children.length > 1 && !parts.distinct) return refuse("count takes one argument");
    return call("count", children, parts);
  },
  grouparray: (given, context) => listOf(given, context, given.parts.distinct ?? false),
  groupuniqarray: (given, context) => listOf(given, context, true),
  multiif: ({ children, parts }) => {
    const otherwise = children.at(-1);
    if (children.length < 3 || children.length % 2 === 0 || otherwise === undefined)
      return refuse("multiIf takes conditions with values, and a last value");
    const checks = [];
    for (let at = 0; at + 1 < children.length; at += 2)
      checks.push({ when_expr: children[at] as Node, then_expr: children[at + 1] as Node });
    return caseOf(checks, otherwise, parts.alias);
  },
  tostring({ children, parts }, context) {
    const [value] = children;
    if (value === undefined || children.length !== 1) return refuse("toString takes one argument");
    context.count("longerTexts");
    return castToText(value, parts.alias);
  },
  "||": concat,
  concat,
  replace: replacePart,
  replaceall: replacePart,
  splitbychar: split,
  splitbystring: split,
  "~~": likeCall({ ignoreCase: false, isNot: false }),
  "!~~": likeCall({ ignoreCase: false, isNot: true }),
  "~~*": likeCall({ ignoreCase: true, isNot: false }),
  "!~~*": likeCall({ ignoreCase: true, isNot: true }),
  match: matchCall("regexp_matches"),
  regexp_matches: matchCall("regexp_matches"),
  regexp_full_match: matchCall("regexp_full_match"),
  regexp_extract({ children, parts }, context) {
    const [value, pattern, group = integer(0)] = children;
    if (value === undefined || children.length > 3) return refuse("regexp_extract takes a text, a pattern and a group");
    return call("regexp_extract", [matched(value), readPattern(context, pattern), group], { alias: parts.alias ?? "" });
  },
  replaceregexpall: (given, context) => replacePattern(given, context, [textConstant("g")]),
  replaceregexpone: (given, context) => replacePattern(given, context, []),
  formatdatetime({ children, parts }) {
    const [value, format] = children;
    const wanted = format === undefined ? undefined : findText(format);
    if (value === undefined || wanted === undefined || children.length !== 2)
      return refuse("formatDateTime takes a time and a format");
    return call("strftime", [value, textConstant(strftimeOf(wanted))], { alias: parts.alias ?? "" });
  },
  ...CLICKHOUSE_VALUES,
  todatetime: toTime,
  todatetime64: toTime,
  parsedatetimebesteffort: toTime,
  parsedatetime64besteffort: toTime,
  /** The first group of a pattern, or all of it. */
  extract({ children, parts }, context) {
    const [value, pattern] = children;
    if (value === undefined || children.length !== 2) return refuse("extract takes a text and a pattern");
    const hasGroup = /\((?!\?)/.test((pattern && findText(pattern)) ?? "");
    const given = [matched(value), readPattern(context, pattern), integer(hasGroup ? 1 : 0)];
    return call("regexp_extract", given, { alias: parts.alias ?? "" });
  },
  "->>"({ children, parts }) {
    return call("user_json_string", children, { alias: parts.alias ?? "" });
  },
};

/** A text, a day or a time, or seconds since 1970 as a number. The number of digits of a second is not needed. */
function toTime({ name, children, parts }: Call): Node {
  const [value] = children;
  if (value === undefined || children.length > 2) return refuse("toDateTime takes one argument");
  const ofNumber = name === "todatetime64" ? "user_from_unix_fraction" : "user_from_unix";
  // Without a fraction of a second, as ClickHouse's DateTime.
  const ofOther = name === "todatetime" || name === "parsedatetimebesteffort" ? "user_to_second" : "user_to_time";
  return call(isNumeric(value) ? ofNumber : ofOther, [value], { alias: parts.alias ?? "" });
}

/** At most 1,000 items: a single value is otherwise as large as the memory. As in ClickHouse, NULL is not an item. */
function listOf({ children, parts }: Call, context: Context, distinct: boolean): Node {
  const [value] = children;
  if (value === undefined || children.length !== 1) return refuse("groupArray takes one argument");
  // Written twice: 24 arrays in each other would not end.
  context.addNodes(weigh(value, new Map()));
  const isItem = operator("OPERATOR_IS_NOT_NULL", [value]);
  const filter = parts.filter ? and(parts.filter, isItem) : isItem;
  const made = call("list", children, { ...parts, filter, alias: "", distinct, isOperator: false });
  const items = operator("ARRAY_SLICE", [made, integer(1), integer(STATEMENT_LIMITS.listItems)]);
  // Without rows an empty array, not NULL.
  return operator("OPERATOR_COALESCE", [items, call("list_value", [])], parts.alias);
}

function concat({ name, children, parts }: Call, context: Context): Node {
  refuseAggregateParts("concat", parts);
  context.count("longerTexts", children.filter((child) => findText(child) === undefined).length);
  const texts = children.map((child) =>
    findText(child) === undefined ? cut(child, STATEMENT_LIMITS.cutChars) : child,
  );
  return call(name, texts, { alias: parts.alias ?? "", isOperator: name === "||" });
}

/** The new text is short, so that the result is at most four times as long. */
function shortText(node: Node | undefined): Node {
  const by = node === undefined ? undefined : findText(node);
  if (by === undefined || by.length > STATEMENT_LIMITS.replacementChars)
    return refuse(`A part of a text is replaced by a text of at most ${STATEMENT_LIMITS.replacementChars} characters`);
  return textConstant(by);
}

function replacePart({ children, parts }: Call, context: Context): Node {
  const [value, part, by] = children;
  if (value === undefined || part === undefined || children.length !== 3) return refuse("replace takes three texts");
  context.count("replacements");
  return call("replace", [cut(value, STATEMENT_LIMITS.cutChars), part, shortText(by)], { alias: parts.alias ?? "" });
}

function replacePattern({ children, parts }: Call, context: Context, options: readonly Node[]): Node {
  const [value, pattern, by] = children;
  if (value === undefined || children.length !== 3) return refuse("replaceRegexp takes a text, a pattern and a text");
  context.count("replacements");
  const given = [matched(value), readPattern(context, pattern), shortText(by), ...options];
  return call("regexp_replace", given, { alias: parts.alias ?? "" });
}

function split({ children, parts }: Call, context: Context): Node {
  const [separator, value] = children;
  if (separator === undefined || value === undefined || children.length !== 2)
    return refuse("splitByChar takes a separator and a text");
  context.count("splits");
  return call("string_split", [cut(value, STATEMENT_LIMITS.matchedChars), separator], { alias: parts.alias ?? "" });
}

function matched(value: Node): Node {
  return cut(value, STATEMENT_LIMITS.matchedChars);
}

function matchCall(name: string): Own {
  return ({ children, parts }, context) => {
    const [value, pattern] = children;
    if (value === undefined || children.length !== 2) return refuse("match takes a text and a pattern");
    return call(name, [matched(value), readPattern(context, pattern)], { alias: parts.alias ?? "" });
  };
}

function likeCall(options: { ignoreCase: boolean; isNot: boolean }): Own {
  return ({ children, parts }, context) => {
    const [value, pattern] = children;
    if (value === undefined || pattern === undefined) return refuse(NOT_SUPPORTED);
    return { ...like(context, value, pattern, options), alias: parts.alias ?? "" };
  };
}
