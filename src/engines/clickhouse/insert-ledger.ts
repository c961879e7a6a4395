/**
 * Inserts ledger entries into `ledger_rows`, which counts written events. The view `ledger` derives from the events how
 * many of them were stored and how many were duplicates.
 */
import type { LedgerEntry } from "../batch.ts";
import type { Clickhouse } from "./database.ts";
import { insertLines } from "./insert-parked.ts";

export interface KeyedEntry extends LedgerEntry {
  /** Part of the key: entries with the same key count once. */
  readonly batch: string;
}

export async function insertLedger(
  clickhouse: Pick<Clickhouse, "insert">,
  entries: readonly KeyedEntry[],
  signal?: AbortSignal,
): Promise<void> {
  const rows = entries.map((entry) => {
    const isWritten = entry.outcome === "stored" || entry.outcome === "duplicate";
    return { ...entry, minute: entry.minute * 1000, outcome: isWritten ? "written" : entry.outcome };
  });
  await insertLines(clickhouse, "ledger_rows", rows, signal);
}
