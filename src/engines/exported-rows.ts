/** Validates rows of a backup, which either engine may have written. They are keyed by column name. */

import { LEDGER_OUTCOMES, type LedgerEntry } from "./batch.ts";
import { ADDED_FROM, type ColumnReaders, EVENT_COLUMNS } from "./event-columns.ts";
import { EngineRefused } from "./failures.ts";
import { IMPORTED_DAY_NUMBERS, IMPORTED_DAY_TEXTS, type ImportedDay } from "./imported-days.ts";
import type { ParkedRow } from "./parked-row.ts";
import type { ExportedRow } from "./source-tables.ts";
import {
  WALLET_NUMBERS,
  WALLET_TABLES,
  type WalletLabel,
  type WalletProperty,
  type WalletTable,
} from "./wallet-rows.ts";

/** Readers of events: they refuse a missing value and a wrong type. */
export const EXPORTED_READERS = Object.fromEntries(
  EVENT_COLUMNS.map(([name, kind], at) => {
    const isText = kind === "text" || kind === "day";
    const ofOlder = at < ADDED_FROM ? undefined : isText ? "" : 0;
    const read = (row: ExportedRow) => {
      const value = row[name] ?? ofOlder;
      if (value === undefined || isText !== (typeof value === "string"))
        throw new EngineRefused(`an event's ${name} is not a ${isText ? "text" : "number"}`);
      return value;
    };
    return [name, read];
  }),
) as unknown as ColumnReaders<ExportedRow>;

export function toLedgerEntry(row: ExportedRow): LedgerEntry {
  const outcome = LEDGER_OUTCOMES.find((one) => one === row.outcome);
  if (outcome === undefined) throw new EngineRefused("a row of the ledger has no known outcome");
  const { project_id, reason, day } = textsOf(row, ["project_id", "reason", "day"]);
  return { project_id, reason, day, outcome, minute: numberOf(row, "minute"), events: numberOf(row, "events") };
}

export function toParkedRow(row: ExportedRow): ParkedRow {
  const names = ["project_id", "id", "reason", "details", "rules", "country", "message_id", "raw"] as const;
  return { ...textsOf(row, names), received_at: numberOf(row, "received_at") };
}

export function toWalletRow(table: WalletTable): (row: ExportedRow) => WalletProperty | WalletLabel {
  const names: readonly string[] = WALLET_TABLES[table].columns;
  const texts = names.filter((name) => !WALLET_NUMBERS.includes(name));
  return (row) => {
    const is_deleted = numberOf(row, "is_deleted") === 0 ? 0 : 1;
    const known = { ...textsOf(row, texts), is_deleted, changed_ms: numberOf(row, "changed_ms") };
    return known as WalletProperty | WalletLabel;
  };
}

export function toImportedDay(row: ExportedRow): ImportedDay {
  const numbers = Object.fromEntries(IMPORTED_DAY_NUMBERS.map((name) => [name, numberOf(row, name)]));
  return { ...textsOf(row, IMPORTED_DAY_TEXTS), ...numbers } as ImportedDay;
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
