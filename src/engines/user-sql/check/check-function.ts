/**
 * Checks a call of a function and makes it anew under its name in DuckDB. Functions that could make a value of any
 * size, or take any time over one value, get shorter arguments: no interrupt reaches a single call.
 */
import { findFunction, type UserFunction } from "../functions.ts";
import { STATEMENT_LIMITS } from "../limits.ts";
import { type Checks, checkOrders } from "./check-expression.ts";
import type { Context } from "./context.ts";
import { type Call, refuseAggregateParts } from "./function-call.ts";
import { refuseLongInterval } from "./intervals.ts";
import { OWN_FUNCTIONS } from "./own-functions.ts";
import { withoutZone } from "./time-zones.ts";
import {
  absent,
  type CallParts,
  call,
  fieldsOf,
  flag,
  list,
  NOT_SUPPORTED,
  NOWHERE,
  type Node,
  nameOf,
  oneOf,
  refuse,
  text,
} from "./tree.ts";
import { isTime } from "./value-kinds.ts";

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
  const own = Object.hasOwn(OWN_FUNCTIONS, name) ? OWN_FUNCTIONS[name] : undefined;
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

function isOperator(name: string): boolean {
  return !/^\w/.test(name);
}
