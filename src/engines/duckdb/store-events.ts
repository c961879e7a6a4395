/**
 * Stores events inside the caller's transaction. They are staged in a temporary table. Copies are found by their dedupe
 * keys and removed from it; the rest is stored and merged into the sessions, and partitions with outdated rollups are
 * marked dirty. Afterwards every relation of a report is up to date. All but the staging is SQL: in JavaScript it took
 * 10 us more per event.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { dayOf } from "../../lib/time.ts";
import { appendEvents, type EventRows } from "./append.ts";
import { daysClause } from "./days-clause.ts";
import { markDirty } from "./mark-dirty.ts";
import { mergeSessions } from "./merge-sessions.ts";
import { readRows } from "./rows.ts";
import { STATUS } from "./status.ts";

/** The fields that the ledger needs. */
export interface EventHead {
  readonly projectId: string;
  readonly day: string;
  readonly receivedAtMs: number;
}

export interface StoredEvents {
  /** Copies of a stored event or of an earlier row. */
  readonly duplicates: readonly EventHead[];
}

/** The staged events with all columns of `events`. */
const STAGED = `(SELECT *, ${STATUS} AS status FROM new_events)`;

export async function storeEvents(connection: DuckDBConnection, rows: EventRows, nowMs: number): Promise<StoredEvents> {
  if (rows.starts.length === 0) return { duplicates: [] };
  await connection.run("CREATE OR REPLACE TEMP TABLE new_events AS SELECT * EXCLUDE (status) FROM events LIMIT 0");
  await appendEvents(connection, { table: "new_events", temporary: true }, rows);
  const { repeated, dedupeDays, days } = await describeStaged(connection);
  const duplicates = [
    ...(repeated > 0 ? await removeRepeated(connection) : []),
    ...(await removeStored(connection, dedupeDays)),
  ];
  // By name: columns that a later schema adds stand behind `status`.
  await connection.run(`INSERT INTO events BY NAME SELECT * FROM ${STAGED}`);
  await mergeSessions(connection, STAGED, days);
  await markDirty(connection, "new_events", nowMs);
  return { duplicates };
}

/** Days come from the engine as texts, and may be used in SQL. */
async function describeStaged(connection: DuckDBConnection) {
  const found = await connection.runAndReadAll(
    `SELECT
        count(*) - count(DISTINCT dedupe_key) AS repeated,
        string_agg(DISTINCT strftime(dedupe_day, '%Y-%m-%d'), ' ') AS dedupe_days,
        string_agg(DISTINCT strftime(day, '%Y-%m-%d'), ' ') AS days
     FROM new_events`,
  );
  const [row] = readRows(found) as { repeated: number; dedupe_days: string; days: string }[];
  const split = (text = "") => text.split(" ");
  return { repeated: row?.repeated ?? 0, dedupeDays: split(row?.dedupe_days), days: split(row?.days) };
}

/**
 * Removes rows that repeat a message of this batch. 64-bit keys may collide, and a client can provoke that: the message
 * itself decides.
 */
async function removeRepeated(connection: DuckDBConnection): Promise<EventHead[]> {
  return removeStaged(
    connection,
    `SELECT rowid FROM new_events
     QUALIFY row_number() OVER (PARTITION BY dedupe_key, project_id, message_id ORDER BY rowid) > 1`,
  );
}

/** Above this number of stored rows under the keys of a batch, their texts are read by day instead of by row id. */
const MOST_LISTED_ROWS = 20_000;

/**
 * Removes rows whose message is stored already. Texts are read only for matching keys: reading a column of ids takes 50
 * times as long as reading the keys. No step pairs stored with staged rows of the same key: 3,000 events with one key
 * made 9 million pairs, and the writer stood still for minutes.
 */
async function removeStored(connection: DuckDBConnection, dedupeDays: readonly string[]): Promise<EventHead[]> {
  const ofDays = daysClause("e.dedupe_day", dedupeDays);
  // Row ids are texts: ids of uncommitted rows exceed the range of a number.
  const found = await connection.runAndReadAll(
    `SELECT CAST(e.rowid AS VARCHAR) AS row_id
     FROM events AS e SEMI JOIN new_events AS n ON n.dedupe_key = e.dedupe_key AND n.dedupe_day = e.dedupe_day
     WHERE ${ofDays}
     LIMIT ${MOST_LISTED_ROWS + 1}`,
  );
  const rowIds = (readRows(found) as { row_id: string }[]).map(({ row_id }) => row_id);
  if (rowIds.length === 0) return [];
  const stored = rowIds.length > MOST_LISTED_ROWS ? ofDays : `e.rowid IN (${rowIds.join(", ")})`;
  return removeStaged(
    connection,
    `SELECT n.rowid FROM new_events AS n
     SEMI JOIN (SELECT dedupe_day, dedupe_key, project_id, message_id FROM events AS e WHERE ${stored}) AS s
         ON s.dedupe_key = n.dedupe_key AND s.dedupe_day = n.dedupe_day
         AND s.project_id = n.project_id AND s.message_id = n.message_id`,
  );
}

/** `rowIds` is a subquery. */
async function removeStaged(connection: DuckDBConnection, rowIds: string): Promise<EventHead[]> {
  const removed = await connection.runAndReadAll(
    `DELETE FROM new_events WHERE rowid IN (${rowIds})
     RETURNING project_id, epoch_ms(timestamp) AS timestamp, epoch_ms(received_at) AS received_at`,
  );
  const rows = readRows(removed) as { project_id: string; timestamp: number; received_at: number }[];
  return rows.map((row) => ({
    projectId: row.project_id,
    day: dayOf(row.timestamp),
    receivedAtMs: row.received_at,
  }));
}
