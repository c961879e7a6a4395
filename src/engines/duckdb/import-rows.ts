/** Rows of a backup, by the names of their columns. Events come in by the writer's own way, so that what is derived from them is there with them. */
import { toLedgerEntry, toParkedRow } from "../exported-rows.ts";
import type { ExportedRow, SourceTable } from "../port.ts";
import { encodeExportedRows } from "../row-binary.ts";
import type { Database } from "./database.ts";
import { insertParked } from "./insert-parked.ts";
import { insertLedger } from "./store-batch.ts";
import { storeEvents } from "./store-events.ts";

/** As many as a large batch has: 0.2 s. */
const ROWS_AT_ONCE = 10_000;

/** Resolves with how many were stored: an event whose message is there already is not. */
export async function importRows(
  database: Database,
  table: SourceTable,
  rows: readonly ExportedRow[],
  nowMs: number,
): Promise<number> {
  let stored = 0;
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    stored += await importSome(database, table, rows.slice(from, from + ROWS_AT_ONCE), nowMs);
  return stored;
}

function importSome(
  database: Database,
  table: SourceTable,
  rows: readonly ExportedRow[],
  nowMs: number,
): Promise<number> {
  return database.write(async (connection) => {
    if (table === "events") {
      const { duplicates } = await storeEvents(connection, encodeExportedRows(rows), nowMs);
      return rows.length - duplicates.length;
    }
    if (table === "ledger") await insertLedger(connection, rows.map(toLedgerEntry));
    else await insertParked(connection, rows.map(toParkedRow));
    return rows.length;
  });
}
