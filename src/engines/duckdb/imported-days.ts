/** Writes and removes sums of days that another product counted. */
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { IMPORTED_DAY_COLUMNS, IMPORTED_DAY_NUMBERS, type ImportedDay, type ImportOfDays } from "../imported-days.ts";
import type { Database } from "./database.ts";

const isNumber = (name: string) => (IMPORTED_DAY_NUMBERS as readonly string[]).includes(name);
const typeOf = (name: string) => (isNumber(name) ? "BIGINT" : name === "day" ? "DATE" : "VARCHAR");
const INSERT = `INSERT OR REPLACE INTO imported_days (${IMPORTED_DAY_COLUMNS.join(", ")})
SELECT ${IMPORTED_DAY_COLUMNS.map((name) => `CAST(unnest(CAST($${name} AS VARCHAR[])) AS ${typeOf(name)})`).join(", ")}`;

export async function writeImportedDays(database: Database, rows: readonly ImportedDay[]): Promise<void> {
  await database.write((connection) => insertImportedDays(connection, rows));
}

export async function insertImportedDays(connection: DuckDBConnection, rows: readonly ImportedDay[]): Promise<void> {
  if (rows.length === 0) return;
  const values = IMPORTED_DAY_COLUMNS.map((name) => [name, listValue(rows.map((row) => String(row[name])))] as const);
  await connection.run(INSERT, Object.fromEntries(values));
}

/** Resolves with the number of removed rows. */
export async function removeImportedDays(database: Database, { projectId, importId }: ImportOfDays): Promise<number> {
  const ofImport = importId === undefined ? "" : " AND import_id = $importId";
  return database.write(async (connection) => {
    const sql = `DELETE FROM imported_days WHERE project_id = $projectId${ofImport}`;
    const removed = await connection.run(sql, { projectId, ...(importId === undefined ? {} : { importId }) });
    return removed.rowsChanged;
  });
}
