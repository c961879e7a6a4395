/** Writes and removes sums of days that another product counted. */
import type { ImportedDay, ImportOfDays } from "../imported-days.ts";
import { localTable } from "./cluster-ddl.ts";
import type { Clickhouse } from "./database.ts";
import { insertLines } from "./insert-parked.ts";

const ROWS = "imported_day_rows";

export function writeImportedDays(clickhouse: Pick<Clickhouse, "insert">, rows: readonly ImportedDay[]): Promise<void> {
  return insertLines(clickhouse, ROWS, rows);
}

/** Resolves with the number of removed rows. */
export async function removeImportedDays(
  clickhouse: Clickhouse,
  { projectId, importId }: ImportOfDays,
  signal: AbortSignal,
): Promise<number> {
  const where = `project_id = {project:String}${importId === undefined ? "" : " AND import_id = {import:String}"}`;
  const options = { params: { project: projectId, ...(importId === undefined ? {} : { import: importId }) }, signal };
  const { rows } = await clickhouse.select<{ n: number }>(
    `SELECT count() AS n FROM imported_days WHERE ${where}`,
    options,
  );
  const count = rows[0]?.n ?? 0;
  if (count === 0) return 0;
  const sql = `ALTER TABLE ${localTable(ROWS, clickhouse.cluster)} DELETE WHERE ${where}`;
  await clickhouse.command(sql, { ...options, settings: { mutations_sync: 2 } });
  return count;
}
