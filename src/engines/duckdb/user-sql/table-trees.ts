/** The trees of the tables that users' statements read: parsed once, by the database itself. */
import { readSqlParts } from "../../../lib/sql.ts";
import { type ColumnType, TABLES, type UserTable } from "../../user-sql/tables.ts";
import { checkQuery } from "./check-statement.ts";
import type { CheckedQuery, TableTrees } from "./context.ts";
import { type Node, parseTree } from "./tree.ts";

/** json_serialize_sql. */
export type Serialize = (sql: string) => Promise<string>;

const partOf = readSqlParts(new URL("../../user-sql/tables.sql", import.meta.url));

/**
 * The only places where a statement of a user reaches the tables of the database. LIMIT is a barrier: DuckDB evaluates
 * no condition of the user on rows below it. Without one, a cast that fails could tell about rows of other projects.
 */
const BARRIER = "LIMIT 9223372036854775807";
const PROJECT_EVENTS = `SELECT * FROM main.events AS e
WHERE e.project_id = $project_id AND e.day >= CAST($first_day AS DATE) ${BARRIER}`;
const PROJECT_SESSIONS = `SELECT * FROM main.sessions AS s
WHERE s.project_id = $project_id AND s.day >= CAST($first_day AS DATE) ${BARRIER}`;

/** More than either of the two has. */
const WIDTH = 60;

/** Parts that only other parts read. */
const HELPERS = ["events_with_page", "events_with_ads"] as const;
const WITH_ROWS: readonly string[] = [
  "events",
  "sessions",
  "users",
  "anonymous_users",
  "sources",
  "revenue",
  "identities",
];

/** `base` has the relations `project_events` and `project_sessions`; by default the tables of DuckDB. */
export async function readTableTrees(serialize: Serialize, base?: TableTrees): Promise<TableTrees> {
  const inner = new Map(base ?? (await readBase(serialize)));
  for (const part of HELPERS) inner.set(part, checkQuery(await serialize(partOf(part)), inner));
  const tables = new Map<string, CheckedQuery>();
  for (const table of TABLES) {
    const sql = WITH_ROWS.includes(table.part) ? partOf(table.part) : emptySql(table);
    const columns = table.columns.map(({ name }) => name);
    tables.set(table.name, { ...checkQuery(await serialize(sql), inner), width: columns.length, columns });
  }
  return tables;
}

async function readBase(serialize: Serialize): Promise<TableTrees> {
  const read = async (sql: string) => ({ node: rawTree(await serialize(sql)), width: WIDTH, weight: 1 });
  return new Map([
    ["project_events", await read(PROJECT_EVENTS)],
    ["project_sessions", await read(PROJECT_SESSIONS)],
  ]);
}

export function rawTree(serialized: string): Node {
  const { statements } = parseTree(serialized) as { statements: readonly [{ node: Node }] };
  return statements[0].node;
}

const TYPES: Readonly<Record<ColumnType, string>> = {
  String: "CAST('' AS VARCHAR)",
  DateTime: "CAST('1970-01-01' AS TIMESTAMP)",
  Date: "CAST('1970-01-01' AS DATE)",
  Float64: "CAST(0 AS DOUBLE)",
  UInt64: "CAST(0 AS UBIGINT)",
  "Array(String)": "['']",
  "Array(Date)": "[CAST('1970-01-01' AS DATE)]",
};

/** A table of the catalogue without rows. */
function emptySql({ columns }: UserTable): string {
  return `SELECT ${columns.map(({ name, type }) => `${TYPES[type]} AS "${name}"`).join(", ")} WHERE 1 = 0`;
}
