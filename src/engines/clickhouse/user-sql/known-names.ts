/**
 * Refuses a column whose name neither our tables nor the statement itself defines. ClickHouse looks for a name in more
 * places than DuckDB, also among all tables of the database.
 */
import type { TableTrees } from "../../duckdb/user-sql/context.ts";
import { type Node, refuse } from "../../duckdb/user-sql/tree.ts";
import { visit } from "./value-kinds.ts";

/** Lower-case names that the trees of the tables define or mention. */
export function namesOfTables(tables: TableTrees): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [name, { node }] of tables) {
    found.add(name);
    visit(node, (each) => {
      addDefined(each, found);
      for (const part of partsOf(each)) found.add(part);
    });
  }
  return found;
}

export function refuseUnknownNames(tree: Node, ofTables: ReadonlySet<string>, added: readonly string[]): void {
  const known = new Set([...ofTables, ...added.map((name) => name.toLowerCase())]);
  visit(tree, (each) => addDefined(each, known));
  visit(tree, (each) => {
    const unknown = partsOf(each).find((part) => !known.has(part));
    if (unknown !== undefined) refuse(`There is no column ${unknown}`);
  });
}

function addDefined({ alias }: Node, known: Set<string>): void {
  if (typeof alias === "string" && alias !== "") known.add(alias.toLowerCase());
}

/** The parts of a column's name, in lower case. */
function partsOf({ class: kind, column_names }: Node): string[] {
  return kind === "COLUMN_REF" ? (column_names as readonly string[]).map((part) => part.toLowerCase()) : [];
}
