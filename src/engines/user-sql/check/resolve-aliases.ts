/**
 * What a name means that is an alias of the select list and a column of a table, too: DuckDB and ClickHouse disagree, so
 * that the checked tree says it without the name. In ORDER BY, GROUP BY, HAVING, QUALIFY and DISTINCT ON it is the alias.
 * Inside of an aggregate, in WHERE, ON and the select list it is the column, which both engines take there by
 * themselves. An alias that holds an aggregate cannot be grouped by: there, too, the name is the column.
 */
import { FUNCTIONS } from "../functions.ts";
import { limitWidth, type Table } from "./context.ts";
import { call, column, integer, list, type Node, refuse } from "./tree.ts";

export interface Clauses {
  readonly columns: readonly Node[];
  readonly groups: readonly Node[];
  readonly having: Node | null;
  readonly qualify: Node | null;
  readonly modifiers: readonly Node[];
}

interface Alias {
  readonly node: Node;
  readonly index: number;
  /** From 1; undefined after a `*`, whose columns are not counted here. */
  readonly position: number | undefined;
}

const AGGREGATES: ReadonlySet<string> = new Set([
  ...FUNCTIONS.filter(({ kind, duckdb }) => kind === "aggregate" && duckdb !== "").map(({ duckdb }) => duckdb),
  ...["count", "count_star", "list"],
]);

export function resolveAliases(clauses: Clauses, tables: readonly Table[]): Clauses {
  const aliases = findAliases(clauses.columns);
  const isColumn = (name: string) => tables.some(({ columns }) => columns?.has(name));
  const clashing = new Map([...aliases].filter(([name, { node }]) => isColumn(name) && findName(node) !== name));
  if (clashing.size === 0 || tables.some(({ columns }) => columns === undefined)) return clauses;

  const asColumn = createAsColumn(aliases, tables);
  const asAlias = (node: Node, isMeant: (made: Node) => boolean = () => true): Node =>
    replaceNames(
      node,
      (name, ref) => {
        const alias = clashing.get(name);
        if (alias === undefined) return ref;
        const made = asColumn(alias.node, alias.index);
        return isMeant(made) ? { ...made, alias: ref.alias } : asColumn(ref);
      },
      asColumnOf(clashing, asColumn),
    );
  const isGrouped = (node: Node) => !hasAggregate(node);
  const asGroup = (node: Node): Node => {
    const alias = clashing.get(findName(node) ?? "");
    if (alias?.node.class === "CONSTANT" && alias.position !== undefined) return integer(alias.position);
    return alias?.node.class === "CONSTANT" ? call("user_same", [asAlias(node)]) : asAlias(node, isGrouped);
  };
  const asTarget = (node: Node): Node => {
    const made = asAlias(mapGroupingCalls(node, asGroup));
    // A number of the statement is a position; that of an alias after a `*` would become one.
    return made.class === "CONSTANT" && node.class !== "CONSTANT" ? call("user_same", [made]) : made;
  };
  const asOrder = (node: Node): Node => {
    const position = clashing.get(findName(node) ?? "")?.position;
    return position === undefined ? asTarget(node) : integer(position);
  };
  const optional = (node: Node | null) => (node === null ? null : asAlias(mapGroupingCalls(node, asGroup)));
  const isClashing = new Set([...clashing.values()].map(({ node }) => node));
  return {
    // Written as in GROUP BY: ClickHouse's grouping() compares texts.
    columns: clauses.columns.map((column, at) =>
      mapGroupingCalls(isClashing.has(column) ? asColumn(column, at) : column, asGroup),
    ),
    groups: clauses.groups.map(asGroup),
    having: optional(clauses.having),
    qualify: optional(clauses.qualify),
    modifiers: clauses.modifiers.map((modifier) => mapModifier(modifier, asOrder, asTarget)),
  };
}

/** A column by its table, so that no alias is meant. Aliases of the select list `before` an index are put in. */
function createAsColumn(aliases: ReadonlyMap<string, Alias>, tables: readonly Table[]) {
  const asColumn = (node: Node, before = Number.POSITIVE_INFINITY): Node =>
    replaceNames(node, (name, ref) => {
      const owners = tables.filter(({ columns }) => columns?.has(name));
      const [owner] = owners;
      // In two tables it is a column of USING.
      if (owner !== undefined)
        return owners.length === 1 ? { ...ref, column_names: [owner.alias, ...(ref.column_names as string[])] } : ref;
      const alias = aliases.get(name);
      if (alias === undefined || alias.index >= before) return ref;
      return { ...asColumn(alias.node, alias.index), alias: "" };
    });
  return asColumn;
}

/** ORDER BY of a set operation names columns of its parts; the names of the first come first. */
export function resolveOrders(modifiers: readonly Node[], names: readonly (readonly string[] | undefined)[]): Node[] {
  const asOrder = (node: Node) => {
    const name = findName(node);
    if (name === undefined || names.includes(undefined)) return node;
    const at = names
      .map((each) => each?.findIndex((column) => column.toLowerCase() === name) ?? -1)
      .find((index) => index >= 0);
    return at === undefined ? node : integer(at + 1);
  };
  return modifiers.map((modifier) => mapModifier(modifier, asOrder, (node) => node));
}

/** The names of a SELECT's columns, or undefined where our own tables have columns that are not listed. */
export function columnNames(columns: readonly Node[], tables: readonly Table[]): readonly string[] | undefined {
  if (tables.some((table) => table.columns === undefined)) return undefined;
  return columns.flatMap((column) => {
    if (column.class !== "STAR") return [String(column.alias) || (nameOf(column) ?? "")];
    const of = String(column.relation_name).toLowerCase();
    const left = new Set((column.exclude_list as readonly string[]).map((name) => name.toLowerCase()));
    const shown = tables.filter(({ alias }) => of === "" || alias.toLowerCase() === of);
    return shown.flatMap(({ names = [], merged }) =>
      names.filter((name) => !left.has(name.toLowerCase()) && (of !== "" || merged?.has(name.toLowerCase()) !== true)),
    );
  });
}

/** The columns of a SELECT. The name of a table as a column is its row, which ClickHouse lacks. */
export function expandRows(columns: readonly Node[], tables: readonly Table[], starWidth: number) {
  const stars = columns.filter((each) => each.class === "STAR").length;
  const width = limitWidth(columns.length - stars + stars * starWidth);
  let fields = 0;
  const made = columns.map((each) => {
    const row = expandRow(each, tables);
    // 800 rows of 800 columns took 15 s.
    if (row !== each) fields += list(row.children).length;
    limitWidth(width + fields);
    return row;
  });
  return { columns: made, width };
}

function expandRow(node: Node, tables: readonly Table[]): Node {
  const name = findName(node);
  const table = tables.find(({ alias }) => alias.toLowerCase() === name);
  if (table?.names === undefined || tables.some(({ columns }) => columns?.has(name ?? ""))) return node;
  const fields = table.names.map((each) => ({ ...column(table.alias, each), alias: each }));
  return call("struct_pack", fields, { alias: String(node.alias) || table.alias });
}

/** ClickHouse would take the first table's. */
export function refuseAmbiguous(value: unknown, tables: readonly Table[]): void {
  if (typeof value !== "object" || value === null) return;
  const name = findName(value as Node) ?? "";
  const owners = tables.filter(({ columns, merged }) => columns?.has(name) && merged?.has(name) !== true);
  if (owners.length > 1)
    refuse(`Two tables have the column ${name}: write ${owners.map(({ alias }) => `${alias}.${name}`).join(" or ")}`);
  for (const [field, each] of Object.entries(value)) if (field !== "subquery") refuseAmbiguous(each, tables);
}

/** Of two columns with one alias DuckDB takes the last, and ClickHouse the first. */
export function refuseTwoAliases({ columns, groups, ...others }: Clauses, where: unknown, tables: readonly Table[]) {
  const found = new Map<string, string>();
  const twice = new Set<string>();
  for (const { alias, ...node } of columns) {
    const key = String(alias).toLowerCase();
    if (key === "") continue;
    const value = JSON.stringify(node);
    if (found.has(key) && found.get(key) !== value) twice.add(key);
    found.set(key, value);
  }
  if (twice.size === 0) return;
  const isColumn = (name: string) => tables.some((table) => table.columns?.has(name));
  refuseNames([groups, others.having, others.qualify, others.modifiers], (name) => twice.has(name));
  refuseNames([columns, where], (name) => twice.has(name) && !isColumn(name));
}

function refuseNames(value: unknown, isRefused: (name: string) => boolean): void {
  if (typeof value !== "object" || value === null) return;
  const name = findName(value as Node);
  if (name !== undefined && isRefused(name)) refuse(`Two columns have the alias ${name}`);
  for (const [field, each] of Object.entries(value)) if (field !== "subquery") refuseNames(each, isRefused);
}

function findAliases(columns: readonly Node[]): ReadonlyMap<string, Alias> {
  const found = new Map<string, Alias>();
  const add = (name: unknown, alias: Alias) => {
    const key = String(name).toLowerCase();
    if (key !== "" && !found.has(key)) found.set(key, alias);
  };
  let hasStar = false;
  for (const [at, node] of columns.entries()) {
    if (node.class === "STAR") {
      hasStar = true;
      for (const { key, value } of node.replace_list as readonly { key: string; value: Node }[])
        add(key, { node: value, index: at, position: undefined });
    } else add(node.alias, { node, index: at, position: hasStar ? undefined : at + 1 });
  }
  return found;
}

/** The lower-case name of a column without its table. */
function findName(node: Node): string | undefined {
  const names = node.class === "COLUMN_REF" ? (node.column_names as readonly string[]) : [];
  return names.length === 1 ? names[0]?.toLowerCase() : undefined;
}

function nameOf({ class: kind, column_names }: Node): string | undefined {
  return kind === "COLUMN_REF" ? (column_names as readonly string[]).at(-1) : undefined;
}

type Replace = (name: string, ref: Node) => Node;

/** Puts other expressions in the place of plain names, but not in subqueries. `inside` is for arguments of aggregates. */
function replaceNames(node: Node, replace: Replace, inside?: (node: Node) => Node): Node {
  const walk = (value: unknown, field = ""): unknown => {
    if (typeof value !== "object" || value === null || field === "subquery") return value;
    if (Array.isArray(value)) return value.map((each) => walk(each));
    const each = value as Node;
    // A large number in it is an object of its own kind.
    if (each.class === "CONSTANT") return each;
    const name = findName(each);
    if (name !== undefined) return replace(name, each);
    if (inside !== undefined && isAggregate(each)) return walkAggregate(each, inside);
    return Object.fromEntries(Object.entries(each).map(([key, part]) => [key, walk(part, key)]));
  };
  const walkAggregate = (each: Node, argument: (node: Node) => Node): Node => {
    const over = each.class === "WINDOW" ? { partitions: walk(each.partitions), orders: walk(each.orders) } : {};
    return { ...argument({ ...each, ...(each.class === "WINDOW" ? { partitions: [], orders: [] } : {}) }), ...over };
  };
  return walk(node) as Node;
}

/** Only names that clash need their table. */
function asColumnOf(clashing: ReadonlyMap<string, Alias>, asColumn: (node: Node) => Node): (node: Node) => Node {
  return (node) => replaceNames(node, (name, ref) => (clashing.has(name) ? asColumn(ref) : ref));
}

function isAggregate(node: Node): boolean {
  if (node.class === "WINDOW") return node.type === "WINDOW_AGGREGATE";
  return node.class === "FUNCTION" && AGGREGATES.has(String(node.function_name));
}

/** Also a window function. */
function hasAggregate(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  const { class: kind } = node as Node;
  if (kind === "SUBQUERY") return false;
  return kind === "WINDOW" || isAggregate(node as Node) || Object.values(node).some(hasAggregate);
}

/** The arguments of `grouping(...)` are expressions of GROUP BY. */
function mapGroupingCalls(value: Node, asGroup: (node: Node) => Node): Node {
  const walk = (each: unknown): unknown => {
    if (typeof each !== "object" || each === null) return each;
    if (Array.isArray(each)) return each.map(walk);
    const node = each as Node;
    if (node.class === "CONSTANT") return node;
    if (node.type === "GROUPING_FUNCTION")
      return { ...node, children: (node.children as readonly Node[]).map(asGroup) };
    return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, key === "subquery" ? part : walk(part)]));
  };
  return walk(value) as Node;
}

function mapModifier(modifier: Node, asOrder: (node: Node) => Node, asTarget: (node: Node) => Node): Node {
  if (modifier.type === "DISTINCT_MODIFIER")
    return { ...modifier, distinct_on_targets: (modifier.distinct_on_targets as readonly Node[]).map(asTarget) };
  if (modifier.type !== "ORDER_MODIFIER") return modifier;
  const orders = (modifier.orders as readonly Node[]).map((each) => ({
    ...each,
    expression: asOrder(each.expression as Node),
  }));
  return { ...modifier, orders };
}
