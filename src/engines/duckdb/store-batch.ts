/**
 * The writer's transaction: events, parked events, the ledger and the log's cursor commit together, so that a batch is
 * stored once, whenever a process is killed. A batch that was committed but not acknowledged is recognised by the
 * cursor, which equals its end.
 */
import {
  BIGINT,
  DATE,
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBTimestampSecondsValue,
  TIMESTAMP_S,
  VARCHAR,
} from "@duckdb/node-api";
import { DAY_MS } from "../../lib/time.ts";
import { isSamePosition, type LedgerEntry, type LogPosition } from "../batch.ts";
import type { EventBlock } from "../event-block.ts";
import type { ChangedDays } from "../kept-reads.ts";
import type { ParkedRow } from "../parked-row.ts";
import { appendValues } from "./append-values.ts";
import type { Database } from "./database.ts";
import type { EventHead } from "./event-heads.ts";
import { insertParked } from "./insert-parked.ts";
import { readRows } from "./rows.ts";
import { storeEvents } from "./store-events.ts";

export interface Batch {
  readonly nodeId: string;
  readonly from: LogPosition;
  readonly to: LogPosition;
  readonly events: readonly EventBlock[];
  readonly parked: readonly ParkedRow[];
  readonly ledger: readonly LedgerEntry[];
}

/** The outcome of the events. */
export type BatchOutcome =
  | { readonly kind: "stored"; readonly ledger: readonly LedgerEntry[]; readonly changed: readonly ChangedDays[] }
  | { readonly kind: "moved"; readonly cursor: LogPosition };

export async function storeBatch(database: Database, batch: Batch, nowMs: number): Promise<BatchOutcome> {
  return database.store(async (connection) => {
    const cursor = await readCursor(connection, batch.nodeId);
    // The acknowledgement was lost. The ledger holds the exact outcome; for metrics the counts of the transform
    // suffice.
    if (isSamePosition(cursor, batch.to)) return { kind: "stored", ledger: batch.ledger, changed: [] };
    if (!isSamePosition(cursor, batch.from)) return { kind: "moved", cursor };
    const { duplicates, changed } = await storeEvents(connection, database.knownKeys, batch.events, nowMs);
    await insertParked(connection, batch.parked);
    const ledger = withDuplicates(batch.ledger, duplicates);
    await insertLedger(connection, ledger);
    await writeCursor(connection, batch.nodeId, batch.to);
    return { kind: "stored", ledger, changed };
  });
}

const LOG_START: LogPosition = { segment: 0, offset: 0 };

export async function readCursor(connection: DuckDBConnection, nodeId: string): Promise<LogPosition> {
  const found = await connection.runAndReadAll(`SELECT segment, "offset" FROM log_cursors WHERE node_id = $node`, {
    node: nodeId,
  });
  const [row] = readRows(found) as unknown as LogPosition[];
  return row ?? LOG_START;
}

export async function writeCursor(
  connection: DuckDBConnection,
  nodeId: string,
  { segment, offset }: LogPosition,
): Promise<void> {
  // Replaced rather than updated: see rollup-state.ts.
  await connection.run("DELETE FROM log_cursors WHERE node_id = $node", { node: nodeId });
  await connection.run("INSERT INTO log_cursors VALUES ($node, $segment, $at)", {
    node: nodeId,
    segment: BigInt(segment),
    at: BigInt(offset),
  });
}

/** The transform counts copies as stored, because it cannot recognise them. */
export function withDuplicates(ledger: readonly LedgerEntry[], duplicates: readonly EventHead[]): LedgerEntry[] {
  const entries = ledger.map((entry) => ({ ...entry }));
  const keyOf = (entry: Omit<LedgerEntry, "events">) =>
    [entry.project_id, entry.minute, entry.outcome, entry.reason, entry.day].join("\n");
  const byKey = new Map(entries.map((entry) => [keyOf(entry), entry]));
  for (const { projectId, receivedAtMs, day } of duplicates) {
    const common = { project_id: projectId, minute: Math.floor(receivedAtMs / 60_000) * 60, reason: "", day };
    const stored = byKey.get(keyOf({ ...common, outcome: "stored" }));
    if (stored) stored.events -= 1;
    const as = { ...common, outcome: "duplicate" } as const;
    const known = byKey.get(keyOf(as)) ?? { ...as, events: 0 };
    known.events += 1;
    byKey.set(keyOf(as), known);
  }
  return [...byKey.values()].filter(({ events }) => events !== 0);
}

const LEDGER_TYPES = [VARCHAR, TIMESTAMP_S, VARCHAR, VARCHAR, DATE, BIGINT];

export async function insertLedger(connection: DuckDBConnection, entries: readonly LedgerEntry[]): Promise<void> {
  const rows = entries.map(({ project_id, minute, outcome, reason, day, events }) => [
    project_id,
    new DuckDBTimestampSecondsValue(BigInt(minute)),
    outcome,
    reason,
    new DuckDBDateValue(Date.parse(`${day}T00:00:00Z`) / DAY_MS),
    BigInt(events),
  ]);
  await appendValues(connection, { table: "ledger" }, LEDGER_TYPES, rows);
}
