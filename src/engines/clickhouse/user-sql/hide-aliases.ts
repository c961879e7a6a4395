/**
 * ClickHouse looks for the `e` of `e.*` among the aliases of all outer SELECTs before it looks at the tables: a user's
 * `SELECT 1 AS e FROM events` would reach into the definition of `events`. The tables inside of it get names with a
 * space, which no statement has by accident.
 */
import type { TableTrees } from "../../user-sql/check/context.ts";
import type { Node } from "../../user-sql/check/tree.ts";

/** Every column in the definitions of our tables has its table before it. */
export function hideAliases(tables: TableTrees): TableTrees {
  return new Map([...tables].map(([name, table]) => [name, { ...table, node: hide(table.node) as Node }]));
}

function hide(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(hide);
  if ((value as Node).class === "CONSTANT") return value;
  const node = Object.fromEntries(Object.entries(value).map(([field, each]) => [field, hide(each)]));
  if (node.class === "STAR") return { ...node, relation_name: hidden(node.relation_name) };
  if (node.class === "COLUMN_REF") {
    const [table, ...rest] = node.column_names as readonly string[];
    return rest.length === 0 ? node : { ...node, column_names: [hidden(table), ...rest] };
  }
  return node.type === "SUBQUERY" && node.class === undefined ? { ...node, alias: hidden(node.alias) } : node;
}

function hidden(name: unknown): string {
  return name === "" ? "" : `our ${String(name)}`;
}
