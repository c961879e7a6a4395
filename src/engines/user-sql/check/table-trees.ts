/** The trees of the tables that users' statements read: parsed once, by the database itself. */
import { fillSql, placesOf, readSqlParts } from "../../../lib/sql.ts";
import { type ColumnType, TABLES, type UserTable } from "../tables.ts";
import { checkQuery } from "./check-statement.ts";
import type { CheckedQuery, TableTrees } from "./context.ts";
import { type Node, parseTree } from "./tree.ts";

/** json_serialize_sql. */
export type Serialize = (sql: string) => Promise<string>;

const partOf = readSqlParts(new URL("../tables.sql", import.meta.url));

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

/** A part may hold others: columns that two tables share. */
function sqlOf(part: string): string {
  const sql = partOf(part);
  return fillSql(sql, Object.fromEntries([...placesOf(sql)].map((place) => [place, partOf(place)])));
}

/** `base` has the relations `project_events` and `project_sessions` of the engine. */
export async function readTableTrees(serialize: Serialize, base: TableTrees): Promise<TableTrees> {
  const inner = new Map(base);
  for (const part of HELPERS) inner.set(part, checkQuery(await serialize(partOf(part)), inner));
  const tables = new Map<string, CheckedQuery>();
  for (const table of TABLES) {
    const sql = WITH_ROWS.includes(table.part) ? sqlOf(table.part) : emptySql(table);
    const columns = table.columns.map(({ name }) => name);
    tables.set(table.name, { ...checkQuery(await serialize(sql), inner), width: columns.length, columns });
  }
  return tables;
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
