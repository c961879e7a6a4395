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
import { keepReplaced, removeOutdated } from "./running-days.ts";

const IS_TOUCHED = "t.project_id = s.project_id AND t.session = s.session";

/** The rows as they were, without a copy of them: each part of the statement reads the columns that it needs. */
const REPLACED = "(SELECT s.*, s.rowid FROM sessions AS s INNER JOIN replaced AS r ON r.id = s.rowid)";

/** Nearly every session has one visitor. */
const SEVERAL = keysWhere("is_several");
/** Those that may have a gap. */
const LONG = keysWhere("is_long");

function keysWhere(condition: string): string {
  const keys = `SELECT project_id, session FROM`;
  return `${keys} touched WHERE ${condition} UNION ALL ${keys} replaced WHERE ${condition}`;
}

const isLonger = (from: string, to: string) => `epoch_ms(${to}) - epoch_ms(${from}) > 1800000`;

/**
 * `events` is a relation with only the new events and their row ids; `days` are their days, of which `isRunning` says whether
 * something is rolled up. Leaves `touched`.
 */
export async function mergeSessions(
  connection: DuckDBConnection,
  events: string,
  days: readonly string[],
  isRunning: boolean,
): Promise<void> {
  const ofDays = daysClause("s.day", days);
  await connection.run(`CREATE OR REPLACE TEMP TABLE touched AS
    SELECT project_id, session, min(day) AS day, min(visitor) AS visitor,
      min(timestamp) AS started_at, max(timestamp) AS ended_at,
      min(visitor) != max(visitor) AS is_several, ${isLonger("min(timestamp)", "max(timestamp)")} AS is_long
    FROM ${events} GROUP BY project_id, session`);
  await connection.run(`CREATE OR REPLACE TEMP TABLE replaced AS
    SELECT s.rowid AS id, s.project_id AS project_id, s.day AS day, s.session AS session, s.received_to AS received_to,
      s.visitor != t.visitor AS is_several,
      ${isLonger("least(s.started_at, t.started_at)", "greatest(s.ended_at, t.ended_at)")} AS is_long
    FROM sessions AS s INNER JOIN touched AS t ON ${IS_TOUCHED} WHERE ${ofDays}`);
  if (isRunning) await keepReplaced(connection);
  await insertMerged(connection, events);
  if (isRunning) await removeOutdated(connection, events, days);
  const { rowsChanged } = await connection.run("DELETE FROM sessions AS s USING replaced AS r WHERE r.id = s.rowid");
  if (Math.random() < rowsChanged / LOOKED_AFTER)
    await moveOldest(connection, ofDays, Math.max(rowsChanged, LOOKED_AFTER));
}

async function insertMerged(connection: DuckDBConnection, events: string): Promise<void> {
  const found = await connection.runAndReadAll(`SELECT bool_or(is_several) AS several, bool_or(is_long) AS long
    FROM (SELECT is_several, is_long FROM touched UNION ALL SELECT is_several, is_long FROM replaced)`);
  const [has] = readRows(found) as { several: boolean; long: boolean }[];
  const ofOne = (relation: string) => (has?.several ? withKeys(relation, `NOT IN (${SEVERAL})`) : relation);
  const long = has?.long ? { long: LONG } : {};
  const merged = mergedSessionsSql({ events: ofOne(events), sessions: ofOne(REPLACED), ...long });
  await connection.run(`INSERT INTO sessions ${merged}`);
  if (!has?.several) return;
  const ofSeveral = (relation: string) => withKeys(relation, `IN (${SEVERAL})`);
  const parts = { events: ofSeveral(events), sessions: ofSeveral(REPLACED) };
  await connection.run(`INSERT INTO sessions ${sessionsSql(parts)}`);
}

const withKeys = (relation: string, condition: string) =>
  `(SELECT * FROM ${relation} WHERE (project_id, session) ${condition})`;

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
