import { WALLET_TABLE_NAMES, type WalletTable } from "./wallet-rows.ts";

/** The tables that are not derived, in the order of a backup (backup/take-backup.ts explains it). */
export const SOURCE_TABLES = ["ledger", "parked_events", "events", ...WALLET_TABLE_NAMES, "imported_days"] as const;
export type SourceTable = "ledger" | "parked_events" | "events" | WalletTable | "imported_days";
export type ExportedRow = Readonly<Record<string, string | number>>;

/** A parked event and the row that it became. */
export interface ReplayedEvent {
  readonly parked: {
    readonly id: string;
    readonly project_id: string;
    readonly received_at: number;
    readonly reason: string;
  };
  /** Keyed by STORED_COLUMNS (warehouse/stored-row.ts). */
  readonly row: ExportedRow;
}

export interface ReplayOutcome {
  /** Ids of the events that are no longer parked. Events that the engine refused stay parked. */
  readonly left: readonly string[];
}
