/**
 * Refuses a column whose name neither our tables nor the statement itself defines: ClickHouse looks for a name in more
 * places than DuckDB, also among all tables of the database. Names are written as they were defined: ClickHouse's have
 * an upper and a lower case, those of users have not.
 */
import type { TableTrees } from "../../user-sql/check/context.ts";
import { type Node, refuse } from "../../user-sql/check/tree.ts";
import { visit } from "./value-kinds.ts";

/** Lower-case name -> how it is spelt where it is defined. */
type Spellings = ReadonlyMap<string, readonly string[]>;

/** The names that the trees of the tables define or mention. */
export function namesOfTables(tables: TableTrees): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [name, { node }] of tables) {
    found.add(name);
    visit(node, (each) => {
      if (hasAlias(each)) found.add(each.alias);
      for (const part of partsOf(each)) found.add(part);
    });
  }
  return found;
}

/** The tree with the names as they are defined. */
export function spellNames(tree: Node, ofTables: ReadonlySet<string>, added: readonly string[]): Node {
  const defined = new Map<string, string[]>();
  const add = (name: string) => {
    const spellings = defined.get(name.toLowerCase());
    if (spellings === undefined) defined.set(name.toLowerCase(), [name]);
    else if (!spellings.includes(name)) spellings.push(name);
  };
  for (const name of [...ofTables, ...added]) add(name);
  visit(tree, (each) => {
    if (hasAlias(each)) add(each.alias);
  });
  return spell(tree, defined) as Node;
}

const LISTS_OF_NAMES = new Set(["column_names", "using_columns", "exclude_list"]);

function spell(value: unknown, defined: Spellings): unknown {
  if (typeof value !== "object" || value === null || (value as Node).class === "CONSTANT") return value;
  if (Array.isArray(value)) return value.map((each) => spell(each, defined));
  const fields = Object.entries(value).map(([field, each]) => {
    if (field === "relation_name") return [field, asDefined(String(each), defined) ?? each];
    if (!LISTS_OF_NAMES.has(field)) return [field, spell(each, defined)];
    const names = (each as readonly string[]).map((name) => asDefined(name, defined));
    const unknown = names.indexOf(undefined);
    if (unknown >= 0 && field === "column_names")
      refuse(`There is no column ${String((each as readonly string[])[unknown]).toLowerCase()}`);
    return [field, names.map((name, at) => name ?? (each as readonly string[])[at])];
  });
  return Object.fromEntries(fields);
}

function asDefined(name: string, defined: Spellings): string | undefined {
  const spellings = defined.get(name.toLowerCase());
  return spellings?.includes(name) === true ? name : spellings?.[0];
}

function hasAlias(node: Node): node is Node & { alias: string } {
  return typeof node.alias === "string" && node.alias !== "";
}

function partsOf({ class: kind, column_names }: Node): readonly string[] {
  return kind === "COLUMN_REF" ? (column_names as readonly string[]) : [];
}
