/** Rows of a backup, by the names of their columns. Events come in by the writer's own way, so that what is derived from them is there with them. */
import { EngineRefused } from "../failures.ts";
import { type ExportedRow, LEDGER_OUTCOMES, type LedgerEntry, type SourceTable } from "../port.ts";
import { encodeExportedRows } from "../row-binary.ts";
import type { Database } from "./database.ts";
import { insertParked, type ParkedRow } from "./insert-parked.ts";
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

function toLedgerEntry(row: ExportedRow): LedgerEntry {
  const outcome = LEDGER_OUTCOMES.find((one) => one === row.outcome);
  if (outcome === undefined) throw new EngineRefused("a row of the ledger has no known outcome");
  const { project_id, reason, day } = textsOf(row, ["project_id", "reason", "day"]);
  return { project_id, reason, day, outcome, minute: numberOf(row, "minute"), events: numberOf(row, "events") };
}

function toParkedRow(row: ExportedRow): ParkedRow {
  const names = ["project_id", "id", "reason", "details", "rules", "country", "message_id", "raw"] as const;
  return { ...textsOf(row, names), received_at: numberOf(row, "received_at") };
}

function textsOf<Name extends string>(row: ExportedRow, names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(
    names.map((name) => {
      const value = row[name];
      if (typeof value !== "string") throw new EngineRefused(`a row has no text as its ${name}`);
      return [name, value];
    }),
  ) as Record<Name, string>;
}

function numberOf(row: ExportedRow, name: string): number {
  const value = row[name];
  if (typeof value !== "number") throw new EngineRefused(`a row has no number as its ${name}`);
  return value;
}
