/** Imports rows of a backup, keyed by column name. An interrupted restore may import the same rows again. */
import { createHash } from "node:crypto";
import { toImportedDay, toLedgerEntry, toParkedRow, toWalletRow } from "../exported-rows.ts";
import { encodeExportedRows } from "../row-binary.ts";
import type { ExportedRow, SourceTable } from "../source-tables.ts";
import { isWalletTable } from "../wallet-rows.ts";
import { writeImportedDays } from "./imported-days.ts";
import { insertLedger } from "./insert-ledger.ts";
import { insertParked } from "./insert-parked.ts";
import { LATE } from "./mark-dirty.ts";
import { type EventsTarget, partitionsOf, storeEvents, toEventRows } from "./store-events.ts";
import { insertWallets } from "./wallets.ts";

const ROWS_AT_ONCE = 10_000;

/** Resolves with the number of rows sent: ClickHouse removes copies later. */
export async function importRows(
  target: EventsTarget,
  table: SourceTable,
  rows: readonly ExportedRow[],
): Promise<number> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await importSome(target, table, rows.slice(from, from + ROWS_AT_ONCE));
  return rows.length;
}

async function importSome(target: EventsTarget, table: SourceTable, rows: readonly ExportedRow[]): Promise<void> {
  if (table === "events") {
    const { bytes, starts } = encodeExportedRows(rows);
    await storeEvents(target, { rows: toEventRows([bytes], starts), partitions: partitionsOf(rows), receivedMs: LATE });
  } else if (table === "ledger") {
    // Equal rows may come from different batches: their position in the backup distinguishes them.
    const digest = createHash("sha256").update(JSON.stringify(rows)).digest("base64url").slice(0, 22);
    const entries = rows.map((row, nth) => ({ ...toLedgerEntry(row), batch: `import:${digest}:${nth}` }));
    await insertLedger(target.clickhouse, entries);
  } else if (table === "imported_days") {
    await writeImportedDays(target.clickhouse, rows.map(toImportedDay));
  } else if (isWalletTable(table)) {
    await insertWallets(target.clickhouse, table, rows.map(toWalletRow(table)));
  } else {
    await insertParked(target.clickhouse, rows.map(toParkedRow));
  }
}
