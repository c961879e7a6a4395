/** Parts of a checked tree that ClickHouse evaluates otherwise than DuckDB. */
import type { Node } from "../../user-sql/check/tree.ts";
import { visit } from "./value-kinds.ts";

/** Whether a SELECT of the tree has GROUPING SETS, ROLLUP or CUBE. */
export function hasGroupingSets(tree: Node): boolean {
  return some(tree, ({ group_sets }) => Array.isArray(group_sets) && group_sets.length > 1);
}

/** Whether the tree calls `grouping(...)`. */
export function hasGroupingCall(tree: Node): boolean {
  return some(tree, ({ type }) => type === "GROUPING_FUNCTION");
}

/** Whether the tree reads one of these relations of the engine. */
export function hasRelation(tree: Node, names: readonly string[]): boolean {
  return some(tree, ({ type, name }) => type === "PROJECT_RELATION" && names.includes(String(name)));
}

/** The arrays that the columns of a SELECT unnest. Those of subqueries are theirs. */
export function findUnnested(columns: unknown): readonly Node[] {
  if (typeof columns !== "object" || columns === null) return [];
  const { class: kind, function_name, children } = columns as Node;
  if (kind === "SUBQUERY") return [];
  if (kind === "FUNCTION" && function_name === "unnest") return (children as readonly Node[]).slice(0, 1);
  return Object.values(columns).flatMap(findUnnested);
}

function some(tree: Node, matches: (node: Node) => boolean): boolean {
  let found = false;
  visit(tree, (each) => {
    found ||= matches(each);
  });
  return found;
}
