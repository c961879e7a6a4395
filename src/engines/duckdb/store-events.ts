/**
 * Events into the database, inside the caller's transaction. They are staged in a table of their own: copies are found by their dedupe keys and leave it,
 * the rest is stored and merged into the sessions that it touches, and partitions whose rollups it makes wrong become dirty. Afterwards every
 * relation that reports read is up to date. Everything but the staging is SQL: the same in JavaScript took 10 us more of each event.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { dayOf } from "../../lib/time.ts";
import { appendEvents, type EventRows } from "./append.ts";
import { daysClause } from "./days-clause.ts";
import { markDirty } from "./mark-dirty.ts";
import { mergeSessions } from "./merge-sessions.ts";
import { readRows } from "./rows.ts";

/** What the ledger needs to know of an event. */
export interface EventHead {
  readonly projectId: string;
  readonly day: string;
  readonly receivedAtMs: number;
}

export interface StoredEvents {
  /** The rows that were copies of a stored event, or of an earlier row. */
  readonly duplicates: readonly EventHead[];
}

export async function storeEvents(connection: DuckDBConnection, rows: EventRows, nowMs: number): Promise<StoredEvents> {
  if (rows.starts.length === 0) return { duplicates: [] };
  await connection.run("CREATE OR REPLACE TEMP TABLE new_events AS SELECT * FROM events LIMIT 0");
  await appendEvents(connection, { table: "new_events", temporary: true }, rows);
  const { repeated, dedupeDays, days } = await describeStaged(connection);
  const duplicates = [
    ...(repeated > 0 ? await removeRepeated(connection) : []),
    ...(await removeStored(connection, dedupeDays)),
  ];
  await connection.run("INSERT INTO events SELECT * FROM new_events");
  await mergeSessions(connection, "new_events", days);
  await markDirty(connection, "new_events", nowMs);
  return { duplicates };
}

/** Days are texts of the engine's own, as they stand in SQL. */
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

/** Rows that repeat a message of this batch. 64 bits may collide, and a client that wants to can make them: the message itself decides. */
async function removeRepeated(connection: DuckDBConnection): Promise<EventHead[]> {
  return removeStaged(
    connection,
    `SELECT rowid FROM new_events
     QUALIFY row_number() OVER (PARTITION BY dedupe_key, project_id, message_id ORDER BY rowid) > 1`,
  );
}

/** Row ids are texts: those of rows that are not committed are beyond what a number holds. */
interface Message {
  readonly place: string;
  readonly project_id: string;
  readonly message_id: string;
}

/** Rows whose message is stored. The texts are read for hits of the keys alone: a column of ids takes 50 times as long to read as the keys. */
async function removeStored(connection: DuckDBConnection, dedupeDays: readonly string[]): Promise<EventHead[]> {
  const found = await connection.runAndReadAll(
    `SELECT CAST(e.rowid AS VARCHAR) AS stored, CAST(n.rowid AS VARCHAR) AS staged
     FROM events AS e INNER JOIN new_events AS n ON n.dedupe_key = e.dedupe_key
     WHERE ${daysClause("e.dedupe_day", dedupeDays)} AND n.dedupe_day = e.dedupe_day`,
  );
  const hits = readRows(found) as { stored: string; staged: string }[];
  if (hits.length === 0) return [];
  const stored = await readMessages(
    connection,
    "events",
    hits.map((hit) => hit.stored),
  );
  const staged = await readMessages(
    connection,
    "new_events",
    hits.map((hit) => hit.staged),
  );
  const copies = hits.filter((hit) => isSameMessage(stored.get(hit.stored), staged.get(hit.staged)));
  if (copies.length === 0) return [];
  return removeStaged(connection, [...new Set(copies.map((hit) => hit.staged))].join(", "));
}

async function readMessages(
  connection: DuckDBConnection,
  table: "events" | "new_events",
  places: readonly string[],
): Promise<Map<string, Message>> {
  const found = await connection.runAndReadAll(
    `SELECT CAST(rowid AS VARCHAR) AS place, project_id, message_id FROM ${table} WHERE rowid IN (${[...new Set(places)].join(", ")})`,
  );
  return new Map((readRows(found) as unknown as Message[]).map((message) => [message.place, message]));
}

function isSameMessage(one: Message | undefined, other: Message | undefined): boolean {
  return one !== undefined && one.project_id === other?.project_id && one.message_id === other.message_id;
}

/** `places` are row ids, as SQL has them. */
async function removeStaged(connection: DuckDBConnection, places: string): Promise<EventHead[]> {
  const removed = await connection.runAndReadAll(
    `DELETE FROM new_events WHERE rowid IN (${places})
     RETURNING project_id, epoch_ms(timestamp) AS timestamp, epoch_ms(received_at) AS received_at`,
  );
  const rows = readRows(removed) as { project_id: string; timestamp: number; received_at: number }[];
  return rows.map((row) => ({
    projectId: row.project_id,
    day: dayOf(row.timestamp),
    receivedAtMs: row.received_at,
  }));
}
