/**
 * Stores events inside the caller's transaction, once in each. Copies are found by their dedupe keys and left out; the
 * rest is appended to `events` and merged into the sessions, and partitions with outdated rollups are marked dirty.
 * Afterwards every relation of a report is up to date. The rows are not staged: a row that goes through a temporary table
 * is copied twice more, 7 us an event.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { EventBlock } from "../event-block.ts";
import type { ChangedDays } from "../kept-reads.ts";
import { allRows, appendEvents } from "./append.ts";
import { daysOf, type EventHead, readHead } from "./event-heads.ts";
import { findCopies } from "./find-copies.ts";
import type { KnownKeys } from "./known-keys.ts";
import { markDirty } from "./mark-dirty.ts";
import { mergeSessions } from "./merge-sessions.ts";
import { IS_OWN_ROW } from "./own-rows.ts";
import { hasRunning, reopenHours } from "./running-days.ts";
import { findStatuses } from "./status.ts";

export interface StoredEvents {
  /** Copies of a stored event or of an earlier row. */
  readonly duplicates: readonly EventHead[];
  readonly changed: readonly ChangedDays[];
}

/** The events that this transaction has stored. */
const NEW_EVENTS = `(SELECT *, rowid FROM events WHERE ${IS_OWN_ROW})`;

export async function storeEvents(
  connection: DuckDBConnection,
  known: KnownKeys,
  blocks: readonly EventBlock[],
  nowMs: number,
): Promise<StoredEvents> {
  // By name: columns that a later schema adds stand behind `status`.
  const columns = (await connection.run("SELECT * FROM events LIMIT 0")).columnNames();
  const duplicates: EventHead[] = [];
  const days = new Set<string>();
  // A copy of an event of a block before it is found as one of a stored event.
  for (const block of blocks) {
    if (block.rows === 0) continue;
    const all = allRows(block);
    const copies = await findCopies(connection, known, all);
    // One by one: a client can send 150,000 copies in a block, more than a call takes arguments.
    for (const row of copies) duplicates.push(readHead(block, row));
    const rows = { block, rows: copies.size === 0 ? all.rows : all.rows.filter((row) => !copies.has(row)) };
    if (rows.rows.length === 0) continue;
    const statuses = await findStatuses(connection, rows);
    await appendEvents(connection, { table: "events", columns, statuses }, rows);
    for (const day of daysOf(rows, "timestamp")) days.add(day);
  }
  const changed = days.size > 0 ? await update(connection, [...days], nowMs) : [];
  return { duplicates, changed };
}

async function update(
  connection: DuckDBConnection,
  days: readonly string[],
  nowMs: number,
): Promise<readonly ChangedDays[]> {
  const isRunning = await hasRunning(connection, days);
  await mergeSessions(connection, NEW_EVENTS, days, isRunning);
  if (isRunning) await reopenHours(connection, NEW_EVENTS);
  // The sessions of the batch say the same as its events.
  return markDirty(connection, "touched", nowMs);
}
