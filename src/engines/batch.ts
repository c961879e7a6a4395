/** Batches of the event log, on their way into an engine. */

export interface LogPosition {
  readonly segment: number;
  readonly offset: number;
}

export function isSamePosition(one: LogPosition, other: LogPosition): boolean {
  return one.segment === other.segment && one.offset === other.offset;
}

/**
 * The engine's cursor differs from the start of the batch: its file was restored, or lost batches that were not yet
 * durable. The writer continues at the cursor.
 */
export class CursorMoved extends Error {
  override readonly name = "CursorMoved";
}

export interface BatchRange {
  readonly from: LogPosition;
  readonly to: LogPosition;
  /** Identifies the position and the content of its records. */
  readonly token: string;
}

export interface StoredBatch {
  readonly ledger: readonly LedgerEntry[];
  /** The log below it is no longer needed, even after a power loss. */
  readonly durable: LogPosition;
}

/** Columns (event-block.ts), or rows in RowBinary (row-binary.ts). */
export type BatchForm = "columns" | "rows";

/** A batch of the log, transformed and encoded. */
export interface EncodedBatch {
  readonly form: BatchForm;
  /** One after the other. */
  readonly events: readonly Uint8Array[];
  /** The offset of each row of RowBinary, in all of them. */
  readonly starts: Uint32Array;
  readonly eventCount: number;
  /** JSON lines. */
  readonly parked: Uint8Array;
  /** Copies are counted as `stored`: the transform cannot recognise them. */
  readonly ledger: readonly LedgerEntry[];
  /** The partitions its events belong to. */
  readonly partitions: readonly EventPartition[];
  /** When the oldest event was received. */
  readonly firstReceivedAtMs: number;
}

export interface EventPartition {
  readonly project_id: string;
  /** UTC day of `timestamp`. */
  readonly day: string;
  readonly dedupe_day: string;
}

export const LEDGER_OUTCOMES = ["stored", "duplicate", "parked", "refused"] as const;

export interface LedgerEntry {
  readonly project_id: string;
  /** Epoch seconds of the minute of receipt. */
  readonly minute: number;
  readonly outcome: (typeof LEDGER_OUTCOMES)[number];
  readonly reason: string;
  /**
   * Stored and duplicate events: the day of the events, whose retention also applies to this entry. Others: the day of
   * receipt.
   */
  readonly day: string;
  readonly events: number;
}
