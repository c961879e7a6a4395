/**
 * Merges new events into their sessions, inside the writer's transaction. Recomputing those sessions from all of their
 * events would read the whole day, because a visitor's day is one session unless the client sends a session id: 333 ms
 * on a day of 4 million events, and growing. A merge finds the rows of the batch's sessions by their keys, reads only
 * these, inserts what they have become and deletes them.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { mergedSessionsSql, sessionsSql } from "../../materialize/sessions.ts";
import { daysClause } from "./days-clause.ts";
import { IS_OWN_ROW } from "./own-rows.ts";
import { readRows } from "./rows.ts";
import { hasRunning, keepReplaced, removeOutdated } from "./running-days.ts";

const IS_TOUCHED = "t.project_id = s.project_id AND t.session = s.session";

/** The rows as they were, without a copy of them: each part of the statement reads the columns that it needs. */
const REPLACED = "(SELECT s.*, s.rowid FROM sessions AS s INNER JOIN replaced AS r ON r.id = s.rowid)";

/** Nearly every session has one visitor. */
const SEVERAL = "SELECT project_id, session FROM unusual WHERE is_several";
const LONG = "SELECT project_id, session FROM unusual WHERE is_long";

/** `events` is a relation with only the new events and their row ids; `days` are their days. */
export async function mergeSessions(
  connection: DuckDBConnection,
  events: string,
  days: readonly string[],
): Promise<void> {
  const ofDays = daysClause("s.day", days);
  await connection.run(`CREATE OR REPLACE TEMP TABLE touched AS
    SELECT project_id, session, min(visitor) AS visitor, max(visitor) AS other_visitor,
      min(timestamp) AS started_at, max(timestamp) AS ended_at
    FROM ${events} GROUP BY project_id, session`);
  await connection.run(`CREATE OR REPLACE TEMP TABLE replaced AS
    SELECT s.rowid AS id, s.project_id AS project_id, s.day AS day, s.session AS session, s.visitor AS visitor,
      s.started_at AS started_at, s.ended_at AS ended_at, s.received_to AS received_to
    FROM sessions AS s SEMI JOIN touched AS t ON ${IS_TOUCHED} WHERE ${ofDays}`);
  const isRunning = await hasRunning(connection, days);
  if (isRunning) await keepReplaced(connection);
  await insertMerged(connection, events);
  if (isRunning) await removeOutdated(connection, events, days);
  const { rowsChanged } = await connection.run("DELETE FROM sessions AS s USING replaced AS r WHERE r.id = s.rowid");
  if (Math.random() < rowsChanged / LOOKED_AFTER)
    await moveOldest(connection, ofDays, Math.max(rowsChanged, LOOKED_AFTER));
}

async function insertMerged(connection: DuckDBConnection, events: string): Promise<void> {
  const { hasSeveral, hasLong } = await findUnusual(connection);
  const ofOne = (relation: string) => (hasSeveral ? without(relation, SEVERAL) : relation);
  const long = hasLong ? { long: LONG } : {};
  const merged = mergedSessionsSql({ events: ofOne(events), sessions: ofOne(REPLACED), ...long });
  await connection.run(`INSERT INTO sessions ${merged}`);
  if (!hasSeveral) return;
  const ofSeveral = { events: within(events, SEVERAL), sessions: within(REPLACED, SEVERAL) };
  await connection.run(`INSERT INTO sessions ${sessionsSql(ofSeveral)}`);
}

const within = (relation: string, keys: string) =>
  `(SELECT * FROM ${relation} WHERE (project_id, session) IN (${keys}))`;
const without = (relation: string, keys: string) =>
  `(SELECT * FROM ${relation} WHERE (project_id, session) NOT IN (${keys}))`;

/** Sessions with several visitors, and those that may have a gap. */
async function findUnusual(connection: DuckDBConnection): Promise<{ hasSeveral: boolean; hasLong: boolean }> {
  await connection.run(`CREATE OR REPLACE TEMP TABLE unusual AS
    SELECT project_id, session, min(visitor) != max(visitor) AS is_several,
      epoch_ms(max(ended_at)) - epoch_ms(min(started_at)) > 1800000 AS is_long
    FROM (
      SELECT project_id, session, visitor, started_at, ended_at FROM touched
      UNION ALL
      SELECT project_id, session, other_visitor, started_at, ended_at FROM touched WHERE other_visitor != visitor
      UNION ALL
      SELECT project_id, session, visitor, started_at, ended_at FROM replaced)
    GROUP BY project_id, session
    HAVING is_several OR is_long`);
  const found = await connection.runAndReadAll(
    "SELECT bool_or(is_several) AS hasSeveral, bool_or(is_long) AS hasLong FROM unusual",
  );
  const [row] = readRows(found) as { hasSeveral: boolean | null; hasLong: boolean | null }[];
  return { hasSeveral: row?.hasSeveral === true, hasLong: row?.hasLong === true };
}

/**
 * A deleted row stays in the file until all others of its row group are deleted as well. While the visitors of a day come
 * back at random, a row group keeps a few of them for ever: after 524,000 events of 200,000 visitors the day had
 * 491,000 rows to read for its 185,512 sessions, and growing with each event. So where a day has more row ids than this for each row, a batch also
 * moves the oldest rows to the end, and a checkpoint drops what is empty.
 */
const MOST_IDS_A_ROW = 3;
/** Of the row ids of a sparse day a batch frees so many for each row that it has replaced. */
const FREED_IDS_A_ROW = 2;
/**
 * Replaced rows for each look at the day, by chance where a batch has fewer: a look reads the row ids of all its sessions,
 * 25 ms of the 105 that a batch of one event took on a day of 524,000.
 */
const LOOKED_AFTER = 2_000;

async function moveOldest(connection: DuckDBConnection, ofDays: string, replaced: number): Promise<void> {
  const found =
    await connection.runAndReadAll(`SELECT s.day AS day, count(*) AS n, min(s.rowid) AS first, max(s.rowid) AS last
    FROM sessions AS s
    WHERE ${ofDays} AND s.day = (SELECT mode(day) FROM replaced) AND NOT (s.${IS_OWN_ROW})
    GROUP BY s.day`);
  const [of] = readRows(found) as { day: string; n: number; first: number; last: number }[];
  if (of === undefined || of.last - of.first < MOST_IDS_A_ROW * (of.n + replaced)) return;
  const oldest = `day = DATE '${of.day}' AND rowid < ${of.first + FREED_IDS_A_ROW * replaced}`;
  await connection.run(`INSERT INTO sessions SELECT * FROM sessions WHERE ${oldest}`);
  await connection.run(`DELETE FROM sessions WHERE ${oldest}`);
}
