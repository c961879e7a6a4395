/** Checks the FROM of a SELECT. A table of the catalogue becomes a subquery of the project's rows. */
import type { Checks } from "./check-expression.ts";
import { type CheckedQuery, type Context, hiddenCte, limitWidth, type Table } from "./context.ts";
import { pruneTable } from "./prune.ts";
import {
  absent,
  column,
  fieldsOf,
  NOT_SUPPORTED,
  NOWHERE,
  type Node,
  nameOf,
  names,
  oneOf,
  plainSelect,
  refuse,
  subquery,
} from "./tree.ts";

/** The tables that it reads are counted where they are read. */
interface CheckedRelation {
  readonly node: Node;
  readonly width: number;
  /** What names of columns may mean. */
  readonly tables: readonly Table[];
}

const COMMON = ["type", "alias", "sample", "query_location"] as const;

export function checkRelation(context: Context, checks: Checks, node: unknown): CheckedRelation {
  return context.within(() => {
    const { type, sample } = node as Node;
    absent(sample, "SAMPLE is not supported");
    switch (type) {
      case "EMPTY":
        fieldsOf(node, ...COMMON);
        return { width: 0, tables: [], node: { type, alias: "", sample: null, ...NOWHERE } };
      case "BASE_TABLE":
        return checkTable(context, node as Node);
      case "SUBQUERY":
        return checkSubquery(context, checks, node as Node);
      case "JOIN":
        return checkJoin(context, checks, node as Node);
      case "EXPRESSION_LIST":
        return refuse("VALUES is not supported: use SELECT ... UNION ALL SELECT ...");
      case "TABLE_FUNCTION":
        return refuse("Table functions are not supported");
      case "PIVOT":
        return refuse("PIVOT and UNPIVOT are not supported");
      case "SHOW_REF":
        return refuse("DESCRIBE, SHOW and SUMMARIZE are not supported");
      default:
        return refuse(NOT_SUPPORTED);
    }
  });
}

function checkTable(context: Context, node: Node): CheckedRelation {
  const fields = fieldsOf(
    node,
    ...[...COMMON, "schema_name", "table_name", "column_name_alias", "catalog_name", "at_clause"],
  );
  const name = nameOf(fields.table_name);
  const columns = names(fields.column_name_alias);
  if (fields.schema_name !== "" || fields.catalog_name !== "") refuse(noDatabase(fields.schema_name));
  absent(fields.at_clause, "AT is not supported");
  const alias = nameOf(fields.alias) || name;
  const cte = context.findCte(name);
  if (cte !== undefined) {
    const base = { type: "BASE_TABLE", sample: null, ...NOWHERE, schema_name: "", table_name: hiddenCte(name) };
    context.read(cte.weight);
    const made = { ...base, alias, column_name_alias: columns, catalog_name: "", at_clause: null };
    return withNames({ node: made, width: cte.width, columns: cte.columns }, columns);
  }
  const table = context.tables.get(name.toLowerCase());
  if (table === undefined) return refuse(`There is no table ${name}`);
  context.read(table.weight);
  const mentioned = columns.length === 0 ? context.mentioned : undefined;
  // The name of the table itself as a column is the whole row.
  const isWhole = mentioned === undefined || mentioned.has(alias.toLowerCase());
  const made = subquery(isWhole ? table.node : pruneTable(table.node, mentioned), alias, columns);
  return withNames({ node: made, width: table.width, columns: table.columns }, columns);
}

function noDatabase(schema: unknown): string {
  if (String(schema).toLowerCase() !== "information_schema") return "Tables have plain names, without a database";
  return "There is no table of information_schema: GET /v0/query/schema lists tables and columns";
}

/**
 * A relation with other names for its first columns, which ClickHouse's grammar lacks: as a subquery that names them.
 * Where columns have the same name, nothing can name them.
 */
function withNames({ node, width, columns }: Omit<CheckedQuery, "weight">, given: readonly string[]): CheckedRelation {
  const alias = String(node.alias);
  const made = columns && renameColumns({ ...node, column_name_alias: [] }, columns, given);
  const names = columns && [...given, ...columns.slice(given.length)];
  const table = { alias, names, columns: names && new Set(names.map((name) => name.toLowerCase())) };
  return { width, tables: [table], node: made === undefined ? node : subquery(made, alias, []) };
}

/** `SELECT table.a AS x, table.b AS b FROM table`, or undefined if nothing is renamed. */
export function renameColumns(table: Node, columns: readonly string[], given: readonly string[]): Node | undefined {
  const isUnique = new Set(columns.map((name) => name.toLowerCase())).size === columns.length;
  if (given.length === 0 || given.length > columns.length || !isUnique) return undefined;
  const list = columns.map((name, at) => ({ ...column(String(table.alias), name), alias: given[at] ?? name }));
  return plainSelect(list, table);
}

function checkSubquery(context: Context, checks: Checks, node: Node): CheckedRelation {
  const fields = fieldsOf(node, ...COMMON, "subquery", "column_name_alias");
  const made = checks.query(fields.subquery) as CheckedQuery;
  const inner = made.node as { node: Node };
  const alias = nameOf(fields.alias) || context.nextName();
  const columns = names(fields.column_name_alias);
  return withNames({ ...made, node: subquery(inner.node, alias, columns) }, columns);
}

const JOINS = ["INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"] as const;
const KINDS = ["REGULAR", "CROSS", "NATURAL", "ASOF"] as const;

function checkJoin(context: Context, checks: Checks, node: Node): CheckedRelation {
  const fields = fieldsOf(
    node,
    ...[...COMMON, "left", "right", "condition", "join_type", "ref_type", "using_columns", "delim_flipped"],
    "duplicate_eliminated_columns",
  );
  absent(fields.delim_flipped, NOT_SUPPORTED);
  absent(fields.duplicate_eliminated_columns, NOT_SUPPORTED);
  const left = checkRelation(context, checks, fields.left);
  const right = checkRelation(context, checks, fields.right);
  const type = oneOf(fields.join_type, JOINS, "This kind of JOIN is not supported");
  const kind = oneOf(fields.ref_type, KINDS, "This kind of JOIN is not supported");
  const using = kind === "NATURAL" ? sharedNames(left.tables, right.tables) : names(fields.using_columns);
  const merged = new Set(using.map((name) => name.toLowerCase()));
  const joined = right.tables.map((table) => ({ ...table, merged: new Set([...(table.merged ?? []), ...merged]) }));
  return {
    width: limitWidth(left.width + right.width),
    tables: type === "SEMI" || type === "ANTI" ? left.tables : [...left.tables, ...joined],
    node: {
      type: "JOIN",
      alias: nameOf(fields.alias),
      sample: null,
      ...NOWHERE,
      left: left.node,
      right: right.node,
      condition: fields.condition === null ? null : checks.expression(fields.condition),
      join_type: type,
      ref_type: kind === "NATURAL" ? "REGULAR" : kind,
      using_columns: using,
      delim_flipped: false,
      duplicate_eliminated_columns: [],
    },
  };
}

/** NATURAL JOIN is a join by the columns that both sides have. */
function sharedNames(left: readonly Table[], right: readonly Table[]): readonly string[] {
  const ofRight = new Set(right.flatMap(({ columns }) => [...(columns ?? [])]));
  const shared = left.flatMap(({ names: all, merged }) =>
    (all ?? []).filter((name) => ofRight.has(name.toLowerCase()) && merged?.has(name.toLowerCase()) !== true),
  );
  return shared.length === 0 ? refuse("NATURAL JOIN needs a column that both tables have") : shared;
}
