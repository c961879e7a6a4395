/** The port's ledger as rows of `ledger_rows`, which holds what was written; what of that was stored, and what a duplicate, the events say. */
import type { LedgerEntry } from "../port.ts";
import type { Clickhouse } from "./http.ts";
import { insertLines } from "./insert-parked.ts";

export interface KeyedEntry extends LedgerEntry {
  /** With the other columns the key: the same one counts once. */
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
