/**
 * Imports rows of a backup, keyed by column name. Events take the writer's path, so that their sessions are derived in
 * the same transaction.
 */
import { encodeExportedBlock, openBlock } from "../event-block.ts";
import { toImportedDay, toLedgerEntry, toParkedRow, toWalletRow } from "../exported-rows.ts";
import type { ExportedRow, SourceTable } from "../source-tables.ts";
import { isWalletTable } from "../wallet-rows.ts";
import type { Database } from "./database.ts";
import { insertImportedDays } from "./imported-days.ts";
import { insertParked } from "./insert-parked.ts";
import { insertLedger } from "./store-batch.ts";
import { storeEvents } from "./store-events.ts";
import { insertWallets } from "./wallets.ts";

/** The size of a large batch: 0.2 s. */
const ROWS_AT_ONCE = 10_000;

/** Resolves with the number of stored rows, without events that are stored already. */
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
  return database.store(async (connection) => {
    if (table === "events") {
      const block = openBlock(encodeExportedBlock(rows));
      const { duplicates } = await storeEvents(connection, database.knownKeys, [block], nowMs);
      return rows.length - duplicates.length;
    }
    if (isWalletTable(table)) await insertWallets(connection, table, rows.map(toWalletRow(table)));
    else if (table === "imported_days") await insertImportedDays(connection, rows.map(toImportedDay));
    else if (table === "ledger") await insertLedger(connection, rows.map(toLedgerEntry));
    else await insertParked(connection, rows.map(toParkedRow));
    return rows.length;
  });
}
