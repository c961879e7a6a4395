/**
 * Prints a checked tree as ClickHouse's SQL. No text of the user is copied: names and strings are quoted here,
 * functions come from a list, and a table is a subquery over the rows of one project. A node that the check lets pass
 * and ClickHouse lacks is refused.
 */
import { findInteger, findText, NOT_SUPPORTED, type Node, refuse } from "../../duckdb/user-sql/tree.ts";
import { STATEMENT_LIMITS } from "../../user-sql/limits.ts";
import { printConstant, quoteName, quoteText } from "./constants.ts";
import { clickhouseFormat, printCall, printPart, printRound } from "./functions.ts";
import {
  besideInterval,
  COMPARISONS,
  columnName,
  isListed,
  isOfOtherRow,
  KEEPING,
  nullable,
  signed,
  TYPES,
  textOrEmpty,
} from "./print-parts.ts";
import { findUnnested, hasGroupingCall, hasGroupingSets } from "./select-parts.ts";
import { createIsArray, isCondition, isInterval } from "./value-kinds.ts";

/** `project_events` and `project_sessions` as SQL. */
export type ProjectRelations = (name: string) => string;

/** Characters that are printed more than once: `(a IN (b, c)) IN (d, e)` doubles at each level, round makes four of one. */
const MOST_REPEATED = 65_536;
/** ClickHouse reads no longer statement. */
const MOST_CHARS = 262_144;
/** Expressions that are printed. Those of a statement and of its tables are below a tenth. */
const MOST_PRINTED = 20 * STATEMENT_LIMITS.nodes;
const TOO_LONG = "The query is too long";

/** What the expressions of one SELECT depend on. */
interface Scope {
  /** Arrays that its columns unnest, if there are several: their items are joined one by one, not every pair. */
  readonly zipped: readonly string[];
  /** Expressions that a row of other grouping sets has as NULL. */
  readonly nullable: ReadonlySet<string>;
}
const PLAIN: Scope = { zipped: [], nullable: new Set() };

/** The node of a relation that the engine itself defines. */
export function projectRelation(name: string): Node {
  return { type: "PROJECT_RELATION", name };
}

export function printQuery(node: Node, relations: ProjectRelations): string {
  let repeated = 0;
  let printed = 0;
  let scope = PLAIN;
  const isArray = createIsArray(node);
  const hasGrouping = hasGroupingCall(node);
  const all = (nodes: unknown, print: (each: Node) => string) => (nodes as readonly Node[]).map(print).join(", ");

  function query(each: Node): string {
    if (each.type === "PROJECT_RELATION") return relations(String(each.name));
    const { map } = each.cte_map as { map: readonly { key: string; value: Node }[] };
    const ctes = map.map(({ key, value }) => `${quoteName(key)} AS (${query((value.query as { node: Node }).node)})`);
    if (map.some(({ value }) => (value.aliases as unknown[]).length > 0)) refuse("A CTE takes no list of columns here");
    const outer = scope;
    scope = PLAIN;
    if (each.type === "SELECT_NODE") scope = scopeOf(each);
    const body = each.type === "SELECT_NODE" ? select(each) : setOperation(each);
    const sql = `${ctes.length === 0 ? "" : `WITH ${ctes.join(", ")} `}${body}${tail(each.modifiers as readonly Node[])}`;
    scope = outer;
    return limited(sql);
  }

  function scopeOf(each: Node): Scope {
    const arrays = new Set(findUnnested(each.select_list).map(printAgain));
    // `group_by_use_nulls`, which is set otherwise, refuses every `grouping(...)`.
    const isNullable = hasGrouping && hasGroupingSets({ group_sets: each.group_sets });
    const groups = isNullable ? (each.group_expressions as readonly Node[]).map((group) => shownAt(each, group)) : [];
    // A constant is the same in every row, and its text is in other expressions, too.
    const nullable = groups.filter((group) => group.class !== "CONSTANT").map(printAgain);
    return { zipped: arrays.size > 1 ? [...arrays] : [], nullable: new Set(nullable) };
  }

  /** What is printed in another place, too. */
  function printAgain(each: Node): string {
    const sql = expression(each);
    repeat(sql.length);
    return sql;
  }

  function setOperation(each: Node): string {
    const word = `${String(each.setop_type)} ${each.setop_all === true ? "ALL" : "DISTINCT"}`;
    const body = `(${query(each.left as Node)}) ${word} (${query(each.right as Node)})`;
    // With ORDER BY or LIMIT the operation itself must be a subquery, else they would belong to its last part. After
    // WITH there must be a SELECT.
    const { map } = each.cte_map as { map: readonly unknown[] };
    return (each.modifiers as unknown[]).length + map.length === 0 ? body : `SELECT * FROM (${body})`;
  }

  function select(each: Node): string {
    const distinct = (each.modifiers as readonly Node[]).find(({ type }) => type === "DISTINCT_MODIFIER");
    const on = distinct === undefined ? [] : (distinct.distinct_on_targets as readonly Node[]);
    const clauses = [
      `SELECT ${distinct === undefined ? "" : "DISTINCT "}${on.length === 0 ? "" : `ON (${all(on, expression)}) `}${columns(each.select_list as readonly Node[])}`,
      (each.from_table as Node).type === "EMPTY" ? "" : `FROM ${relation(each.from_table as Node)}`,
      each.where_clause === null ? "" : `WHERE ${expression(each.where_clause as Node)}`,
      groupBy(each),
      having(each),
      each.qualify === null ? "" : `QUALIFY ${expression(each.qualify as Node)}`,
    ];
    return clauses.filter((clause) => clause !== "").join(" ");
  }

  /** Without an aggregate, also one that nobody reads, ClickHouse leaves out the row of an empty grouping set. */
  function having(each: Node): string {
    const sets = hasGroupingSets({ group_sets: each.group_sets }) ? ["(count() >= 0)"] : [];
    const conditions = [...sets, ...(each.having === null ? [] : [expression(each.having as Node)])];
    return conditions.length === 0 ? "" : `HAVING ${conditions.join(" AND ")}`;
  }

  function groupBy(each: Node): string {
    if (each.aggregate_handling === "FORCE_AGGREGATES") return "GROUP BY ALL";
    const groups = (each.group_expressions as readonly Node[]).map((group) => {
      // `grouping(...)` takes a key as it is written, not its position.
      const column = scope.nullable.size > 0 ? shownAt(each, group) : columnAt(each, group);
      return column === group ? expression(group) : printAgain(column);
    });
    const sets = each.group_sets as readonly (readonly number[])[];
    if (groups.length === 0) return "";
    if (sets.length === 1) return `GROUP BY ${groups.join(", ")}`;
    return `GROUP BY GROUPING SETS (${sets.map((set) => `(${set.map((at) => groups[at]).join(", ")})`).join(", ")})`;
  }

  /** A position or an alias as its column: a condition is cast in the list, and is not in HAVING or in another column. */
  /** What a position stands for, if no `*` stands before it. */
  function shownAt(each: Node, group: Node): Node {
    const position = findInteger(group);
    const before = position === undefined ? [] : (each.select_list as readonly Node[]).slice(0, position);
    return before.some(({ class: kind }) => kind === "STAR") ? group : (before.at(-1) ?? columnAt(each, group));
  }

  function columnAt({ select_list }: Node, group: Node): Node {
    const columns = select_list as readonly Node[];
    const name = columnName(group).toLowerCase();
    const isNamed = ({ alias }: Node) => name !== "" && String(alias).toLowerCase() === name;
    const column = columns[(findInteger(group) ?? 0) - 1] ?? columns.find(isNamed);
    return column !== undefined && isCondition(column) && columns.every(({ class: kind }) => kind !== "STAR")
      ? column
      : group;
  }

  function tail(modifiers: readonly Node[]): string {
    const texts = modifiers.map((each) => {
      if (each.type === "ORDER_MODIFIER") return ` ORDER BY ${all(each.orders, order)}`;
      if (each.type !== "LIMIT_MODIFIER") return "";
      const limit = each.limit === null ? "" : ` LIMIT ${expression(each.limit as Node)}`;
      return limit + (each.offset === null ? "" : ` OFFSET ${expression(each.offset as Node)}`);
    });
    return texts.join("");
  }

  function order({ type, null_order, expression: by }: Node): string {
    const direction = type === "DESCENDING" ? " DESC" : "";
    return expression(by as Node) + direction + (null_order === "ORDER_DEFAULT" ? "" : ` ${String(null_order)}`);
  }

  function relation(each: Node): string {
    if (((each.column_name_alias as unknown[] | undefined) ?? []).length > 0)
      return refuse("A table takes no list of columns here");
    const alias = each.alias === "" ? "" : ` AS ${quoteName(String(each.alias))}`;
    if (each.type === "BASE_TABLE") return `${quoteName(String(each.table_name))}${alias}`;
    if (each.type === "SUBQUERY") return `(${query((each.subquery as { node: Node }).node)})${alias}`;
    return each.type === "JOIN" ? join(each) : refuse(NOT_SUPPORTED);
  }

  function join(each: Node): string {
    // A subquery would hide the names of its tables.
    if ((each.right as Node).type === "JOIN") return refuse("A join in brackets is not supported here: use a subquery");
    const left = relation(each.left as Node);
    const right = relation(each.right as Node);
    if (each.ref_type === "CROSS") return `${left} CROSS JOIN ${right}`;
    if (each.ref_type === "NATURAL") return refuse("NATURAL JOIN is not supported here");
    const type =
      each.join_type === "SEMI" || each.join_type === "ANTI" ? `LEFT ${each.join_type}` : String(each.join_type);
    const words = `${each.ref_type === "ASOF" ? "ASOF " : ""}${type} JOIN`;
    const using = (each.using_columns as readonly string[]).map(quoteName);
    const on = using.length > 0 ? `USING (${using.join(", ")})` : `ON ${expression(each.condition as Node)}`;
    return `${left} ${words} ${right} ${on}`;
  }

  /** ClickHouse refuses two expressions under one alias, and names that we made may be alike. */
  function columns(list: readonly Node[]): string {
    const taken = new Set<unknown>();
    const texts = list.map((each) => {
      if (each.class === "STAR") return star(each);
      const name = String(each.alias) || columnName(each);
      let alias = name;
      for (let n = 1; alias !== "" && taken.has(alias); n += 1) alias = `${name}_${n}`;
      taken.add(alias);
      const value = shown(each);
      return value + (alias === "" || value === quoteName(alias) ? "" : ` AS ${quoteName(alias)}`);
    });
    return texts.join(", ");
  }

  function star(each: Node): string {
    const table = each.relation_name === "" ? "" : `${quoteName(String(each.relation_name))}.`;
    const left = (each.exclude_list as readonly string[]).map(quoteName);
    const replaced = (each.replace_list as readonly { key: string; value: Node }[]).map(
      ({ key, value }) => `${expression(value)} AS ${quoteName(key)}`,
    );
    const without = left.length === 0 ? "" : ` EXCEPT STRICT (${left.join(", ")})`;
    return `${table}*${without}${replaced.length === 0 ? "" : ` REPLACE (${replaced.join(", ")})`}`;
  }

  /** A value that is shown or kept: a condition is true or false, not 1 or 0. */
  function shown(each: Node): string {
    return isCondition(each) ? `CAST(${expression(each)} AS Bool)` : expression(each);
  }

  function expression(each: Node): string {
    printed += 1;
    if (printed > MOST_PRINTED) refuse(TOO_LONG);
    const print = KINDS[String(each.class)];
    const sql = limited(print === undefined ? refuse(NOT_SUPPORTED) : print(each));
    return scope.nullable.has(sql) ? `toNullable(${sql})` : sql;
  }

  function limited(sql: string): string {
    return sql.length > MOST_CHARS ? refuse(TOO_LONG) : sql;
  }

  const KINDS: Readonly<Record<string, (each: Node) => string>> = {
    CONSTANT: ({ value }) => printConstant(value as Node),
    COLUMN_REF: ({ column_names }) => (column_names as readonly string[]).map(quoteName).join("."),
    CAST: castTo,
    COMPARISON: ({ type, left, right }) =>
      `(${expression(left as Node)} ${COMPARISONS[String(type)]} ${expression(right as Node)})`,
    CONJUNCTION: ({ type, children }) =>
      `(${(children as readonly Node[]).map(expression).join(type === "CONJUNCTION_AND" ? " AND " : " OR ")})`,
    BETWEEN: ({ type, input, lower, upper }) => {
      const [a, b, c] = [input, lower, upper].map((part) => expression(part as Node));
      return `(${a} ${type === "COMPARE_BETWEEN" ? "" : "NOT "}BETWEEN ${b} AND ${c})`;
    },
    OPERATOR: ({ type, children }) => operator(String(type), children as readonly Node[]),
    CASE: ({ case_checks, else_expr }) => {
      const whens = (case_checks as readonly { when_expr: Node; then_expr: Node }[]).map(
        ({ when_expr, then_expr }) => `WHEN ${expression(when_expr)} THEN ${expression(then_expr)}`,
      );
      return `CASE ${whens.join(" ")} ELSE ${expression(else_expr as Node)} END`;
    },
    SUBQUERY: subquery,
    FUNCTION: callOf,
    WINDOW: window,
  };

  function subquery({ subquery_type, subquery: inner, child, comparison_type }: Node): string {
    const sql = `(${query((inner as { node: Node }).node)})`;
    if (subquery_type === "SCALAR") return sql;
    if (subquery_type === "EXISTS") return `EXISTS ${sql}`;
    if (subquery_type === "NOT_EXISTS") return `NOT EXISTS ${sql}`;
    const value = expression(child as Node);
    if (comparison_type === "COMPARE_EQUAL") return `(${value} IN ${sql})`;
    return `(${value} ${COMPARISONS[String(comparison_type)] ?? refuse(NOT_SUPPORTED)} ANY ${sql})`;
  }

  function operator(type: string, children: readonly Node[]): string {
    const [first = "", ...rest] = children.map(expression);
    switch (type) {
      case "OPERATOR_NOT":
        return `(NOT ${first})`;
      case "OPERATOR_IS_NULL":
        return `(${first} IS NULL)`;
      case "OPERATOR_IS_NOT_NULL":
        return `(${first} IS NOT NULL)`;
      case "COMPARE_IN":
      case "COMPARE_NOT_IN":
        return isIn(type === "COMPARE_IN", children.slice(1).every(isListed), first, rest);
      case "OPERATOR_COALESCE":
        return `coalesce(${[first, ...rest].join(", ")})`;
      case "ARRAY_EXTRACT":
        return `arrayElementOrNull(${first}, ${rest[0]})`;
      case "ARRAY_SLICE":
        repeat(rest[0]?.length ?? 0);
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
  function isIn(isPositive: boolean, areConstant: boolean, value: string, items: readonly string[]): string {
    if (areConstant) return `(${value} ${isPositive ? "IN" : "NOT IN"} (${items.join(", ")}))`;
    repeat(value.length * items.length, "IN has too many items that are not constants");
    const comparisons = items.map((item) => `(${value} ${isPositive ? "=" : "!="} ${item})`);
    return `(${comparisons.join(isPositive ? " OR " : " AND ")})`;
  }

  function repeat(chars: number, tooMuch = "The query repeats too long expressions"): void {
    repeated += chars;
    if (repeated > MOST_REPEATED) refuse(tooMuch);
  }

  function castTo({ child, cast_type, try_cast }: Node): string {
    const { id, type_info } = cast_type as { id: string; type_info: { width: number; scale: number } | null };
    const made = child as Node;
    const text = findText(made);
    if (id === "BOOLEAN" && (text === "t" || text === "f")) return text === "t" ? "true" : "false";
    const type = id === "DECIMAL" ? `Decimal(${type_info?.width}, ${type_info?.scale})` : TYPES[id];
    if (type === undefined) return refuse(`The type ${id} is not supported here`);
    return try_cast === true
      ? `accurateCastOrNull(${expression(made)}, '${type}')`
      : `CAST(${id === "VARCHAR" ? shown(made) : expression(made)} AS ${type})`;
  }

  function callOf({ function_name, children, distinct, filter, order_bys }: Node): string {
    const given = children as readonly Node[];
    const name = String(function_name);
    if (((order_bys as { orders: unknown[] }).orders ?? []).length > 0)
      return refuse("ORDER BY in an aggregate is not supported here");
    const texts = given.map(KEEPING.has(name) ? shown : expression);
    const where = filter === null ? "" : ` FILTER (WHERE ${expression(filter as Node)})`;
    // ClickHouse rounds weeks down, other units towards zero.
    if (name === "date_sub" && given[0] && findText(given[0]) === "week")
      return `intDiv(age('day', ${texts.slice(1).join(", ")}), 7)`;
    if (name === "date_part") return printPart(given[0] && findText(given[0]), texts[1] ?? "");
    if (name === "strftime")
      return `formatDateTime(${texts[0]}, ${quoteText(clickhouseFormat((given[1] && findText(given[1])) ?? ""))})`;
    if (name === "list" && distinct === true) return `groupUniqArray(${texts.join(", ")})${where}`;
    if (name === "length") return `toInt64(${isArray(given[0]) ? "length" : "lengthUTF8"}(${texts.join(", ")}))`;
    // As on DuckDB, a NULL is left out; `||` gives NULL.
    if (name === "concat") return printCall(name, texts.map(textOrEmpty), "");
    if (given.some(isInterval)) return printCall(name, name === "*" ? texts : texts.map(besideInterval(given)), "");
    if (name === "unnest" && scope.zipped.length > 0) {
      const arrays = scope.zipped.join(", ");
      repeat(arrays.length);
      return `tupleElement(arrayJoin(arrayZipUnaligned(${arrays})), ${scope.zipped.indexOf(texts[0] ?? "") + 1})`;
    }
    if (name === "round") {
      repeat(4 * texts.join("").length, "The query rounds too long an expression");
      return printRound(texts);
    }
    return signed(name, printCall(name, texts, distinct === true ? "DISTINCT " : "", where));
  }

  function window(each: Node): string {
    const extra = [each.offset_expr, each.default_expr]
      .filter((part) => part !== null)
      .map((part) => expression(part as Node));
    const name = String(each.function_name);
    const values = (each.children as readonly Node[]).map(expression);
    const [offset, otherwise] = extra;
    const given = [...(isOfOtherRow(name, extra.length) ? values.map(nullable) : values), ...extra];
    // The value and what stands for it must have one type: that of an array of both.
    if (offset !== undefined && otherwise !== undefined) {
      repeat(`${values[0]}${otherwise}`.length);
      given.splice(0, 3, `[${values[0]}, ${otherwise}][1]`, offset, `[${otherwise}, ${values[0]}][1]`);
    }
    if (each.exclude_clause !== "NO_OTHER") return refuse("EXCLUDE is not supported here");
    const filter = each.filter_expr === null ? "" : ` FILTER (WHERE ${expression(each.filter_expr as Node)})`;
    const respect = /^(?:first|last)_value$/.test(name) ? " RESPECT NULLS" : "";
    const nulls = each.ignore_nulls === true ? " IGNORE NULLS" : respect;
    const partitions = each.partitions as readonly Node[];
    const orders = each.orders as readonly Node[];
    const parts = [
      partitions.length === 0 ? "" : `PARTITION BY ${all(partitions, expression)}`,
      orders.length === 0 ? "" : `ORDER BY ${all(orders, order)}`,
      frame(each),
    ];
    const called = printCall(name, given, each.distinct === true ? "DISTINCT " : "", filter);
    return signed(name, `${called}${nulls} OVER (${parts.filter((part) => part !== "").join(" ")})`);
  }

  function frame({ start, end, start_expr, end_expr }: Node): string {
    if (start === "UNBOUNDED_PRECEDING" && end === "CURRENT_ROW_RANGE") return "";
    const unit = /ROWS$/.test(`${String(start)}`) || /ROWS$/.test(String(end)) ? "ROWS" : "RANGE";
    const bound = (kind: string, by: unknown) => {
      if (kind === "UNBOUNDED_PRECEDING") return "UNBOUNDED PRECEDING";
      if (kind === "UNBOUNDED_FOLLOWING") return "UNBOUNDED FOLLOWING";
      if (kind.startsWith("CURRENT_ROW")) return "CURRENT ROW";
      return `${expression(by as Node)} ${kind.includes("PRECEDING") ? "PRECEDING" : "FOLLOWING"}`;
    };
    return `${unit} BETWEEN ${bound(String(start), start_expr)} AND ${bound(String(end), end_expr)}`;
  }

  return query(node);
}
