/** Checks a SELECT, its CTEs and set operations, and makes it anew. */
import { STATEMENT_LIMITS } from "../limits.ts";
import { type Checks, checkExpression, checkOrders, checkStar, keepWeight, weigh } from "./check-expression.ts";
import { checkCall, checkWindow } from "./check-function.ts";
import { checkRelation, renameColumns } from "./check-relation.ts";
import { findColumnName } from "./column-name.ts";
import { type CheckedQuery, type Context, hiddenCte, type Relation } from "./context.ts";
import {
  columnNames,
  expandRows,
  refuseAmbiguous,
  refuseTwoAliases,
  resolveAliases,
  resolveOrders,
} from "./resolve-aliases.ts";
import {
  absent,
  fieldsOf,
  findInteger,
  flag,
  list,
  NOT_SUPPORTED,
  type Node,
  nameOf,
  names,
  oneOf,
  refuse,
  subquery,
  text,
} from "./tree.ts";

export function createChecks(context: Context): Checks & { select(node: unknown): CheckedQuery } {
  const select = (node: unknown) => context.within(() => context.weigh(() => checkNode(context, checks, node)));
  const checks = {
    expression: (node: unknown) => checkExpression(context, checks, node),
    call: (node: Node) => checkCall(context, checks, node),
    window: (node: Node) => checkWindow(checks, node),
    query(node: unknown) {
      const { node: inner, named_param_map } = fieldsOf(node, "node", "named_param_map");
      absent(named_param_map, "Parameters are not supported");
      const made = select(inner);
      // One of constants is a relation of the plan, too: a join of 150 did not end.
      if (made.weight === 0) context.read(1);
      return { ...made, weight: Math.max(1, made.weight), node: { node: made.node, named_param_map: [] } };
    },
    select,
  };
  return checks;
}

type Selects = ReturnType<typeof createChecks>;
type CheckedNode = Omit<CheckedQuery, "weight">;

function checkNode(context: Context, checks: Selects, node: unknown): CheckedNode {
  const { type, cte_map } = node as Node;
  const scope = new Map<string, Relation>();
  return context.withCtes(scope, () => {
    const ctes = checkCtes(checks, cte_map, scope);
    if (type === "SELECT_NODE") return checkSelect(context, checks, node as Node, ctes);
    if (type === "SET_OPERATION_NODE") return checkSetOperation(checks, node as Node, ctes);
    return refuse(type === "RECURSIVE_CTE_NODE" ? "WITH RECURSIVE is not supported" : NOT_SUPPORTED);
  });
}

function checkCtes(checks: Selects, value: unknown, scope: Map<string, Relation>): Node {
  const { map } = fieldsOf(value, "map");
  const made = list(map).map((each) => {
    const { key, value: cte } = fieldsOf(each, "key", "value");
    const fields = fieldsOf(cte, "aliases", "query", "materialized", "key_targets");
    absent(fields.key_targets, "USING KEY is not supported");
    const name = nameOf(key);
    if (!/^[A-Za-z_]\w*$/.test(name)) refuse("The name of a CTE has letters, digits and underscores");
    // Not yet in scope for itself: it cannot be recursive.
    const { node, width, weight, columns } = checks.query(fields.query) as CheckedQuery;
    const aliases = names(fields.aliases);
    const inner = (node as { node: Node }).node;
    const made = columns && renameColumns(subquery(inner, "columns", []), columns, aliases);
    scope.set(name.toLowerCase(), {
      width,
      weight,
      columns: columns && [...aliases, ...columns.slice(aliases.length)],
    });
    const query = {
      aliases: made === undefined ? aliases : [],
      query: made === undefined ? node : { node: made, named_param_map: [] },
      materialized: "CTE_MATERIALIZE_DEFAULT",
      key_targets: [],
    };
    return { key: hiddenCte(name), value: query };
  });
  return { map: made };
}

function checkSetOperation(checks: Selects, node: Node, ctes: Node): CheckedNode {
  const fields = fieldsOf(node, "type", "modifiers", "cte_map", "setop_type", "left", "right", "setop_all");
  const left = checks.select(fields.left);
  const right = checks.select(fields.right);
  return {
    width: Math.max(left.width, right.width),
    columns: left.columns,
    node: {
      type: "SET_OPERATION_NODE",
      modifiers: resolveOrders(checkModifiers(checks, fields.modifiers), [left.columns, right.columns]),
      cte_map: ctes,
      setop_type: oneOf(fields.setop_type, ["UNION", "EXCEPT", "INTERSECT"], NOT_SUPPORTED),
      left: left.node,
      right: right.node,
      setop_all: flag(fields.setop_all),
    },
  };
}

function checkSelect(context: Context, checks: Selects, node: Node, ctes: Node): CheckedNode {
  const fields = fieldsOf(
    node,
    ...["type", "modifiers", "cte_map", "select_list", "from_table", "where_clause", "group_expressions", "group_sets"],
    ...["aggregate_handling", "having", "sample", "qualify"],
  );
  absent(fields.sample, "SAMPLE is not supported");
  const from = checkRelation(context, checks, fields.from_table);
  const optional = (value: unknown) => (value === null ? null : checks.expression(value));
  const columns = list(fields.select_list).map((each) => checkColumn(checks, each as Node));
  const groups = list(fields.group_expressions).map(checks.expression);
  const where = optional(fields.where_clause);
  const having = optional(fields.having);
  const qualify = optional(fields.qualify);
  const modifiers = checkModifiers(checks, fields.modifiers);
  // DuckDB binds the column of a position and of GROUP BY ALL anew: 20 subqueries in each other did not end.
  const again = fields.aggregate_handling === "FORCE_AGGREGATES" ? columns : groups.map((each) => at(columns, each));
  const weight = refuseHeavyAliases(columns, [...groups, ...again, where, having, qualify, ...modifiers]);
  const shown = expandRows(columns, from.tables, from.width);
  const clauses = { columns: shown.columns, groups, having, qualify, modifiers };
  refuseTwoAliases(clauses, where, from.tables);
  const resolved = resolveAliases(clauses, from.tables);
  refuseAmbiguous([resolved.columns, where, resolved.groups, resolved.having], from.tables);
  return {
    width: shown.width,
    columns: columnNames(columns, from.tables),
    node: keepWeight(
      {
        type: "SELECT_NODE",
        modifiers: resolved.modifiers,
        cte_map: ctes,
        select_list: resolved.columns,
        from_table: from.node,
        where_clause: where,
        having: resolved.having,
        qualify: resolved.qualify,
        group_expressions: resolved.groups,
        group_sets: checkSets(fields.group_sets, groups.length),
        aggregate_handling: oneOf(fields.aggregate_handling, ["STANDARD_HANDLING", "FORCE_AGGREGATES"], NOT_SUPPORTED),
        sample: null,
      },
      weight + weigh(from.node, new Map()),
    ),
  };
}

function at(columns: readonly Node[], position: Node): Node | undefined {
  return columns[(findInteger(position) ?? 0) - 1];
}

function checkColumn(checks: Selects, node: Node): Node {
  if (node.class === "STAR") return checkStar(checks, node);
  const made = checks.expression(node);
  const name = made.alias === "" ? findColumnName(node) : undefined;
  return name === undefined ? made : { ...made, alias: name };
}

/** DuckDB puts the expression of an alias wherever the alias is used, also in the columns after it. */
function refuseHeavyAliases(columns: readonly Node[], others: readonly unknown[]): number {
  const weights = new Map<string, number>();
  // Of two columns with one alias the longer counts.
  const add = (alias: unknown, weight: number) => {
    const key = text(alias).toLowerCase();
    if (key !== "") weights.set(key, Math.max(weight, weights.get(key) ?? 0));
  };
  let total = 0;
  for (const column of columns) {
    const weight = weigh(column, weights);
    total += weight;
    if (weight > STATEMENT_LIMITS.aliasWeight) refuse("An alias stands for too long an expression");
    add(column.alias, weight);
    if (column.class === "STAR") for (const each of list(column.replace_list)) add((each as Node).key, weight);
  }
  total += weigh(others, weights);
  if (total > STATEMENT_LIMITS.nodes * 2) refuse("Aliases stand for too long expressions");
  return total;
}

function checkSets(value: unknown, groups: number): number[][] {
  const sets = list(value).map((set) => list(set).map((at) => (isIndex(at, groups) ? at : refuse(NOT_SUPPORTED))));
  if (sets.length > STATEMENT_LIMITS.groupingSets) refuse("The query has too many grouping sets");
  return sets;
}

function isIndex(value: unknown, below: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < below;
}

function checkModifiers(checks: Checks, value: unknown): Node[] {
  return list(value).map((each) => {
    const { type } = each as Node;
    if (type === "ORDER_MODIFIER") {
      const { orders } = fieldsOf(each, "type", "orders");
      return { type, orders: checkOrders(checks, orders) };
    }
    if (type === "DISTINCT_MODIFIER") {
      const { distinct_on_targets } = fieldsOf(each, "type", "distinct_on_targets");
      return { type, distinct_on_targets: list(distinct_on_targets).map(checks.expression) };
    }
    if (type === "LIMIT_MODIFIER") {
      const { limit, offset } = fieldsOf(each, "type", "limit", "offset");
      return { type, limit: wholeNumber(checks, limit, "LIMIT"), offset: wholeNumber(checks, offset, "OFFSET") };
    }
    return refuse("LIMIT takes a whole number");
  });
}

function wholeNumber(checks: Checks, value: unknown, word: string): Node | null {
  if (value === null) return null;
  const node = checks.expression(value);
  const number = findInteger(node);
  return number === undefined || number < 0 ? refuse(`${word} takes a whole number`) : { ...node, alias: "" };
}
