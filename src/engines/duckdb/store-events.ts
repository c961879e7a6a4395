/**
 * Events into the database, inside the caller's transaction: copies are found by their dedupe keys, the rest is stored and merged into the sessions
 * that it touches, and partitions whose rollups it makes wrong become dirty. Afterwards every relation that reports read is up to date.
 */
import { type DuckDBConnection, UBIGINT, UINTEGER, USMALLINT } from "@duckdb/node-api";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { EVENT_HEAD } from "../event-columns.ts";
import { createRowAppender, TABLE_COLUMNS } from "./append.ts";
import { appendValues, withAppenders } from "./append-values.ts";
import { markDirty } from "./mark-dirty.ts";
import { daysClause, mergeSessions, type TouchedSession } from "./merge-sessions.ts";
import { readRows } from "./rows.ts";

export interface EventRows {
  /** RowBinary, and where each row begins. */
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
}

/** What the way in needs to know of a row. */
export interface EventHead {
  readonly projectId: string;
  readonly day: string;
  readonly receivedAtMs: number;
}

export interface StoredEvents {
  /** The rows that were copies of a stored event, or of an earlier row, by their place. */
  readonly duplicates: readonly EventHead[];
}

const UNUSED = [
  "dedupe_day",
  "message_id",
  "received_at",
  "original_after_ms",
  "sent_after_ms",
  "channel",
  "event",
  "version",
  "anonymous_id",
  "user_id",
  "address_spelt",
  "session_id",
  "context",
  "properties",
  "extra",
];
const SESSION_COLUMNS = TABLE_COLUMNS.filter((name) => !UNUSED.includes(name));

export async function storeEvents(connection: DuckDBConnection, rows: EventRows, nowMs: number): Promise<StoredEvents> {
  if (rows.starts.length === 0) return { duplicates: [] };
  const copies = await findCopies(connection, rows);
  // What sessions are made of, once more by itself: 31 narrow columns of 46.
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE new_events AS SELECT ${SESSION_COLUMNS.join(", ")} FROM events LIMIT 0`,
  );
  const duplicates: EventHead[] = [];
  const touched = new Map<string, TouchedSession>();
  await withAppenders(connection, [{ table: "events" }, { table: "new_events", temporary: true }], (appenders) => {
    const columns = [TABLE_COLUMNS, SESSION_COLUMNS];
    const events = createRowAppender(appenders.map((appender, at) => ({ appender, columns: columns[at] ?? [] })));
    rows.starts.forEach((start, nth) => {
      if (copies.has(nth)) {
        duplicates.push(readHead(rows.bytes, start));
        return;
      }
      events.add(rows.bytes, start);
      touch(touched, rows.bytes, start);
    });
    events.finish();
  });
  const sessions = [...touched.values()];
  await mergeSessions(connection, "new_events", sessions);
  await markDirty(connection, sessions, nowMs);
  return { duplicates };
}

function touch(touched: Map<string, TouchedSession>, bytes: Buffer, start: number): void {
  const timestamp = readMillis(bytes, start + EVENT_HEAD.timestamp);
  const projectId = readText(bytes, start + EVENT_HEAD.project_id).text;
  const session = bytes.readBigUInt64LE(start + EVENT_HEAD.session);
  // The session's hash has the day in it.
  const key = `${projectId}\n${session}`;
  if (!touched.has(key)) touched.set(key, { projectId, session, dayNumber: Math.floor(timestamp / DAY_MS) });
}

/** The rows, by their place, whose message is stored already or came earlier in this batch. */
async function findCopies(connection: DuckDBConnection, { bytes, starts }: EventRows): Promise<Set<number>> {
  const copies = new Set<number>();
  /** The first rows of each message by its key: 64 bits may collide, and a client that wants to can make them. */
  const firsts = new Map<bigint, number[]>();
  const days = new Set<number>();
  starts.forEach((start, nth) => {
    const key = bytes.readBigUInt64LE(start + EVENT_HEAD.dedupe_key);
    const known = firsts.get(key);
    if (known?.some((earlier) => isSameMessage(bytes, starts[earlier] ?? 0, start))) copies.add(nth);
    else if (known) known.push(nth);
    else firsts.set(key, [nth]);
    days.add(bytes.readUInt16LE(start + EVENT_HEAD.dedupe_day));
  });
  const rows = [...firsts].flatMap(([key, of]) => of.map((nth) => ({ key, nth })));
  for (const { nth, project_id, message_id } of await findStored(connection, bytes, starts, rows, days)) {
    const project = readText(bytes, (starts[nth] ?? 0) + EVENT_HEAD.project_id);
    // A message that is another one is stored.
    if (project.text === project_id && readText(bytes, project.next).text === message_id) copies.add(nth);
  }
  return copies;
}

interface Found {
  nth: number;
  project_id: string;
  message_id: string;
}

/** Events that are stored under one of the batch's keys. Their texts are read for the hits alone: a column of ids takes 50 times as long as the keys. */
async function findStored(
  connection: DuckDBConnection,
  bytes: Buffer,
  starts: Uint32Array,
  rows: readonly { readonly key: bigint; readonly nth: number }[],
  days: ReadonlySet<number>,
): Promise<Found[]> {
  await connection.run(
    "CREATE OR REPLACE TEMP TABLE batch_keys (nth UINTEGER, dedupe_day USMALLINT, dedupe_key UBIGINT)",
  );
  await appendValues(
    connection,
    { table: "batch_keys", temporary: true },
    [UINTEGER, USMALLINT, UBIGINT],
    rows.map(({ key, nth }) => [nth, bytes.readUInt16LE((starts[nth] ?? 0) + EVENT_HEAD.dedupe_day), key]),
  );
  const hits = await connection.runAndReadAll(
    `SELECT e.rowid AS place, b.nth AS nth
     FROM events AS e INNER JOIN batch_keys AS b ON b.dedupe_key = e.dedupe_key
     WHERE ${daysClause("e.dedupe_day", [...days])}
       AND e.dedupe_day = DATE '1970-01-01' + CAST(b.dedupe_day AS INTEGER)`,
  );
  if (hits.currentRowCount === 0) return [];
  const found = readRows(hits) as { place: number; nth: number }[];
  const places = [...new Set(found.map(({ place }) => place))];
  const texts = await connection.runAndReadAll(
    `SELECT rowid AS place, project_id, message_id FROM events WHERE rowid IN (${places.join(", ")})`,
  );
  const byPlace = new Map(
    (readRows(texts) as (Omit<Found, "nth"> & { place: number })[]).map((row) => [row.place, row]),
  );
  return found.flatMap(({ place, nth }) => {
    const text = byPlace.get(place);
    return text === undefined ? [] : [{ nth, project_id: text.project_id, message_id: text.message_id }];
  });
}

function isSameMessage(bytes: Buffer, one: number, other: number): boolean {
  const [a, b] = [readText(bytes, one + EVENT_HEAD.project_id), readText(bytes, other + EVENT_HEAD.project_id)];
  return a.text === b.text && readText(bytes, a.next).text === readText(bytes, b.next).text;
}

function readHead(bytes: Buffer, start: number): EventHead {
  return {
    projectId: readText(bytes, start + EVENT_HEAD.project_id).text,
    day: dayOf(readMillis(bytes, start + EVENT_HEAD.timestamp)),
    receivedAtMs: readMillis(bytes, start + EVENT_HEAD.received_at),
  };
}

function readMillis(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readInt32LE(at + 4) * 4_294_967_296;
}

function readText(bytes: Buffer, start: number): { text: string; next: number } {
  let at = start;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at] ?? 0;
    at += 1;
    length |= (byte & 127) << shift;
    if (byte < 128) break;
  }
  return { text: bytes.toString("utf8", at, at + length), next: at + length };
}
