/** Prints one SELECT with its columns and groups. */
import { findInteger, type Node } from "../../user-sql/check/tree.ts";
import { quoteName } from "./constants.ts";
import { columnName, printShown } from "./print-parts.ts";
import { printRelation } from "./print-relation.ts";
import { type Printer, printAgain, printAll, type Scope } from "./printer.ts";
import { findUnnested, hasGroupingSets } from "./select-parts.ts";
import { isCondition } from "./value-kinds.ts";

export function scopeOf(printer: Printer, node: Node): Scope {
  const again = (each: Node) => printAgain(printer, each);
  const arrays = new Set(findUnnested(node.select_list).map(again));
  // `group_by_use_nulls`, which is set otherwise, refuses every `grouping(...)`.
  const isNullable = printer.hasGrouping && hasGroupingSets({ group_sets: node.group_sets });
  const groups = isNullable ? (node.group_expressions as readonly Node[]).map((group) => shownAt(node, group)) : [];
  // A constant is the same in every row, and its text is in other expressions, too.
  const nullable = groups.filter((group) => group.class !== "CONSTANT").map(again);
  return { zipped: arrays.size > 1 ? [...arrays] : [], nullable: new Set(nullable) };
}

export function printSelect(printer: Printer, node: Node): string {
  const { expression } = printer;
  const distinct = (node.modifiers as readonly Node[]).find(({ type }) => type === "DISTINCT_MODIFIER");
  const on = distinct === undefined ? [] : (distinct.distinct_on_targets as readonly Node[]);
  const clauses = [
    `SELECT ${distinct === undefined ? "" : "DISTINCT "}${on.length === 0 ? "" : `ON (${printAll(on, expression)}) `}${printColumns(printer, node.select_list as readonly Node[])}`,
    (node.from_table as Node).type === "EMPTY" ? "" : `FROM ${printRelation(printer, node.from_table as Node)}`,
    node.where_clause === null ? "" : `WHERE ${expression(node.where_clause as Node)}`,
    printGroupBy(printer, node),
    printHaving(printer, node),
    node.qualify === null ? "" : `QUALIFY ${expression(node.qualify as Node)}`,
  ];
  return clauses.filter((clause) => clause !== "").join(" ");
}

/** Without an aggregate, also one that nobody reads, ClickHouse leaves out the row of an empty grouping set. */
function printHaving({ expression }: Printer, node: Node): string {
  const sets = hasGroupingSets({ group_sets: node.group_sets }) ? ["(count() >= 0)"] : [];
  const conditions = [...sets, ...(node.having === null ? [] : [expression(node.having as Node)])];
  return conditions.length === 0 ? "" : `HAVING ${conditions.join(" AND ")}`;
}

function printGroupBy(printer: Printer, node: Node): string {
  if (node.aggregate_handling === "FORCE_AGGREGATES") return "GROUP BY ALL";
  const groups = (node.group_expressions as readonly Node[]).map((group) => {
    // `grouping(...)` takes a key as it is written, not its position.
    const column = printer.scope.nullable.size > 0 ? shownAt(node, group) : columnAt(node, group);
    return column === group ? printer.expression(group) : printAgain(printer, column);
  });
  const sets = node.group_sets as readonly (readonly number[])[];
  if (groups.length === 0) return "";
  if (sets.length === 1) return `GROUP BY ${groups.join(", ")}`;
  return `GROUP BY GROUPING SETS (${sets.map((set) => `(${set.map((at) => groups[at]).join(", ")})`).join(", ")})`;
}

/** What a position stands for, if no `*` stands before it. */
function shownAt(node: Node, group: Node): Node {
  const position = findInteger(group);
  const before = position === undefined ? [] : (node.select_list as readonly Node[]).slice(0, position);
  return before.some(({ class: kind }) => kind === "STAR") ? group : (before.at(-1) ?? columnAt(node, group));
}

/** A position or an alias as its column: a condition is cast in the list, and is not in HAVING or in another column. */
function columnAt({ select_list }: Node, group: Node): Node {
  const columns = select_list as readonly Node[];
  const name = columnName(group).toLowerCase();
  const isNamed = ({ alias }: Node) => name !== "" && String(alias).toLowerCase() === name;
  const column = columns[(findInteger(group) ?? 0) - 1] ?? columns.find(isNamed);
  return column !== undefined && isCondition(column) && columns.every(({ class: kind }) => kind !== "STAR")
    ? column
    : group;
}

/** ClickHouse refuses two expressions under one alias, and names that we made may be alike. */
function printColumns(printer: Printer, list: readonly Node[]): string {
  const taken = new Set<unknown>();
  const texts = list.map((each) => {
    if (each.class === "STAR") return printStar(printer, each);
    const name = String(each.alias) || columnName(each);
    let alias = name;
    for (let n = 1; alias !== "" && taken.has(alias); n += 1) alias = `${name}_${n}`;
    taken.add(alias);
    const value = printShown(printer, each);
    return value + (alias === "" || value === quoteName(alias) ? "" : ` AS ${quoteName(alias)}`);
  });
  return texts.join(", ");
}

function printStar({ expression }: Printer, node: Node): string {
  const table = node.relation_name === "" ? "" : `${quoteName(String(node.relation_name))}.`;
  const left = (node.exclude_list as readonly string[]).map(quoteName);
  const replaced = (node.replace_list as readonly { key: string; value: Node }[]).map(
    ({ key, value }) => `${expression(value)} AS ${quoteName(key)}`,
  );
  const without = left.length === 0 ? "" : ` EXCEPT STRICT (${left.join(", ")})`;
  return `${table}*${without}${replaced.length === 0 ? "" : ` REPLACE (${replaced.join(", ")})`}`;
}
