/** Checks the FROM of a SELECT. A table of the catalogue becomes a subquery of the project's rows. */
import type { Checks } from "./check-expression.ts";
import { type CheckedQuery, type Context, hiddenCte, limitWidth, type Table } from "./context.ts";
import { pruneTable } from "./prune.ts";
import { absent, fieldsOf, NOT_SUPPORTED, NOWHERE, type Node, nameOf, names, oneOf, refuse, subquery } from "./tree.ts";

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
    const base = { type: "BASE_TABLE", alias, sample: null, ...NOWHERE, schema_name: "", table_name: hiddenCte(name) };
    context.read(cte.weight);
    const made = { ...base, column_name_alias: columns, catalog_name: "", at_clause: null };
    return { width: cte.width, tables: [tableOf(alias, cte.columns, columns)], node: made };
  }
  const table = context.tables.get(name.toLowerCase());
  if (table === undefined) return refuse(`There is no table ${name}`);
  context.read(table.weight);
  const mentioned = columns.length === 0 ? context.mentioned : undefined;
  // The name of the table itself as a column is the whole row.
  const isWhole = mentioned === undefined || mentioned.has(alias.toLowerCase());
  return {
    width: table.width,
    tables: [tableOf(alias, table.columns, columns)],
    node: subquery(isWhole ? table.node : pruneTable(table.node, mentioned), alias, columns),
  };
}

function noDatabase(schema: unknown): string {
  if (String(schema).toLowerCase() !== "information_schema") return "Tables have plain names, without a database";
  return "There is no table of information_schema: GET /v0/query/schema lists tables and columns";
}

/** `given` are other names for the first columns. */
function tableOf(alias: string, columns: readonly string[] | undefined, given: readonly string[]): Table {
  return { alias, columns: columns && new Set(renamed(columns, given)) };
}

export function renamed(columns: readonly string[], given: readonly string[]): readonly string[] {
  return [...given.map((name) => name.toLowerCase()), ...columns.slice(given.length)];
}

function checkSubquery(context: Context, checks: Checks, node: Node): CheckedRelation {
  const fields = fieldsOf(node, ...COMMON, "subquery", "column_name_alias");
  const made = checks.query(fields.subquery) as CheckedQuery;
  const inner = made.node as { node: Node };
  const alias = nameOf(fields.alias) || context.nextName();
  const columns = names(fields.column_name_alias);
  const tables = [tableOf(alias, made.columns, columns)];
  return { width: made.width, tables, node: subquery(inner.node, alias, columns) };
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
  return {
    width: limitWidth(left.width + right.width),
    tables: type === "SEMI" || type === "ANTI" ? left.tables : [...left.tables, ...right.tables],
    node: {
      type: "JOIN",
      alias: nameOf(fields.alias),
      sample: null,
      ...NOWHERE,
      left: left.node,
      right: right.node,
      condition: fields.condition === null ? null : checks.expression(fields.condition),
      join_type: type,
      ref_type: oneOf(fields.ref_type, KINDS, "This kind of JOIN is not supported"),
      using_columns: names(fields.using_columns),
      delim_flipped: false,
      duplicate_eliminated_columns: [],
    },
  };
}
