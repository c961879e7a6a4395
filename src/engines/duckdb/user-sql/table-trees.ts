/** The trees of the tables that users' statements read: parsed once, by the database itself. */
import { readSqlParts } from "../../../lib/sql.ts";
import { EVENT_COLUMNS } from "../../event-columns.ts";
import { type ColumnType, TABLES, type UserTable } from "../../user-sql/tables.ts";
import { checkQuery } from "./check-statement.ts";
import type { CheckedQuery, TableTrees } from "./context.ts";
import { type Node, parseTree } from "./tree.ts";

/** json_serialize_sql. */
export type Serialize = (sql: string) => Promise<string>;

const partOf = readSqlParts(new URL("../../user-sql/tables.sql", import.meta.url));

/**
 * The only places where a statement of a user reaches the tables of the database. They hide the rows of other projects in
 * two ways:
 * - LIMIT is a barrier: DuckDB evaluates no condition of the user on rows below it. Without one, a cast that fails could
 *   tell about rows of other projects.
 * - CASE without ELSE has no statistics. DuckDB knows the least and the greatest value of each column, of all projects
 *   together, and takes them through a LIMIT: a condition beyond the greatest value was known to be false, and a cast
 *   beside it that would fail on every own row was left out. Over a million own events of two it takes 0.84 to 1.18 of
 *   the time without it; TRY, which has none either, up to 3.5 times.
 */
const BARRIER = "LIMIT 9223372036854775807";

const ALL_EVENT_COLUMNS: readonly string[] = ["day", "status", ...EVENT_COLUMNS.map(([name]) => name)];
const SESSION_COLUMNS: readonly string[] = [
  ...["day", "session", "visitor", "is_first", "started_at", "ended_at", "hits", "origin", "device", "browser", "os"],
  ...["location", "referrer", "referrer_url", "ref", "utm_medium", "utm_source", "utm_campaign", "utm_content"],
  ...["utm_term", "channel", "paid_source"],
];

function projectSql(table: string, columns: readonly string[]): string {
  const hidden = columns
    .map((name) => `CASE WHEN r.project_id = $project_id THEN r."${name}" END AS "${name}"`)
    .join(", ");
  return `SELECT ${hidden} FROM (SELECT * FROM main.${table} AS t
WHERE t.project_id = $project_id AND t.day >= CAST($first_day AS DATE) ${BARRIER}) AS r`;
}

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
    ["project_events", await read(projectSql("events", ALL_EVENT_COLUMNS))],
    ["project_sessions", await read(projectSql("sessions", SESSION_COLUMNS))],
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
