/**
 * Leaves out columns of the catalogue that a statement does not mention. DuckDB would not compute them either, but
 * planning all 53 columns of `events` takes 60 ms, and two of them 5.
 */
import type { Node } from "./tree.ts";

/** The lower-case names that a tree mentions, or undefined where any column may be meant: with `*`, or NATURAL JOIN. */
export function findMentioned(tree: unknown): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  return collect(tree, found) ? found : undefined;
}

function collect(value: unknown, found: Set<string>): boolean {
  if (Array.isArray(value)) return value.every((each) => collect(each, found));
  if (typeof value !== "object" || value === null) return true;
  const { class: kind, ref_type } = value as { class?: unknown; ref_type?: unknown };
  if (kind === "STAR" || ref_type === "NATURAL") return false;
  return Object.entries(value).every(([field, each]) => {
    if (field !== "column_names" && field !== "using_columns") return collect(each, found);
    const names = each as readonly string[];
    // The first part of a longer name is a table: alone, the name of a table would be its whole row.
    const isQualified = field === "column_names" && names.length > 1;
    for (const name of isQualified ? names.slice(1) : names) found.add(name.toLowerCase());
    return true;
  });
}

/** A table as `SELECT ... FROM (...)` without the columns that are not mentioned, in itself and in its own subqueries. */
export function pruneTable(node: Node, mentioned: ReadonlySet<string>): Node {
  if (node.type !== "SELECT_NODE") return node;
  const all = node.select_list as readonly Node[];
  const kept = all.filter((column) => column.class === "STAR" || mentioned.has(aliasOf(column)));
  // A SELECT needs a column.
  const columns = kept.length === 0 ? all.slice(0, 1) : kept;
  const from = node.from_table as Node;
  const inner = innerOf(from);
  if (inner === undefined) return { ...node, select_list: columns };
  const passed = columns.some((column) => column.class === "STAR") ? [...mentioned] : [];
  const others = { ...node, select_list: columns.filter((column) => column.class !== "STAR"), from_table: null };
  const wanted = new Set([...passed, ...(findMentioned(others) ?? [])]);
  const pruned = { ...(from.subquery as Node), node: pruneTable(inner, wanted) };
  return { ...node, select_list: columns, from_table: { ...from, subquery: pruned } };
}

function aliasOf(column: Node): string {
  return String(column.alias).toLowerCase();
}

/** The subquery, if there is nothing else in the FROM. */
function innerOf(from: Node): Node | undefined {
  return from.type === "SUBQUERY" ? ((from.subquery as Node).node as Node) : undefined;
}
