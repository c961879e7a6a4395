/**
 * Makes the sessions that new events touch again, from all of their events. A pass reads from the start of the oldest of them on: 10,000 events took
 * 64 ms on a day of 4 million, and 333 without that bound, growing with the day.
 */
import { type DuckDBConnection, DuckDBDataChunk, UBIGINT, VARCHAR } from "@duckdb/node-api";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { sessionsSql } from "../../materialize/sessions.ts";
import { readRows } from "./rows.ts";

export interface TouchedSession {
  readonly projectId: string;
  readonly session: bigint;
  /** Days since 1970. */
  readonly dayNumber: number;
  /** Time of its first event in the batch. */
  firstMs: number;
}

const CHUNK_ROWS = 2048;
/** Days that are refreshed one by one. A backfill may touch more: then neighbours go together, and read what lies between them. */
const MOST_DAYS = 8;

const REFRESH = `INSERT INTO sessions
WITH touched_events AS
(
    SELECT e.*
    FROM events AS e
    SEMI JOIN touched AS t ON t.project_id = e.project_id AND t.session = e.session
    WHERE e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE) AND e.timestamp >= make_timestamp_ms(CAST($from_ms AS BIGINT))
)
SELECT * FROM (${sessionsSql({ events: "touched_events" })})`;

export async function refreshSessions(connection: DuckDBConnection, touched: readonly TouchedSession[]): Promise<void> {
  for (const range of rangesOf(touched)) await refreshRange(connection, range);
}

async function refreshRange(connection: DuckDBConnection, touched: readonly TouchedSession[]): Promise<void> {
  await fillTouched(connection, touched);
  const [firstDay, lastDay] = minMax(touched.map(({ dayNumber }) => dayNumber));
  const [first_day, last_day] = [dayOf(firstDay * DAY_MS), dayOf(lastDay * DAY_MS)];
  const where = `s.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)`;
  const started = await connection.runAndReadAll(
    `SELECT epoch_ms(min(s.started_at)) AS from_ms, count(*) AS known
     FROM sessions AS s SEMI JOIN touched AS t ON t.project_id = s.project_id AND t.session = s.session WHERE ${where}`,
    { first_day, last_day },
  );
  const [{ from_ms, known } = { from_ms: null, known: 0 }] = readRows(started) as { from_ms: number | null; known: number }[];
  if (known > 0) {
    await connection.run(
      `DELETE FROM sessions AS s USING touched AS t WHERE t.project_id = s.project_id AND t.session = s.session AND ${where}`,
      { first_day, last_day },
    );
  }
  const [inBatch] = minMax(touched.map(({ firstMs }) => firstMs));
  await connection.run(REFRESH, { first_day, last_day, from_ms: BigInt(Math.min(inBatch, from_ms ?? inBatch)) });
}

async function fillTouched(connection: DuckDBConnection, touched: readonly TouchedSession[]): Promise<void> {
  await connection.run("CREATE OR REPLACE TEMP TABLE touched (project_id VARCHAR, session UBIGINT)");
  const appender = await connection.createAppender("touched", undefined, "temp");
  for (let from = 0; from < touched.length; from += CHUNK_ROWS) {
    const some = touched.slice(from, from + CHUNK_ROWS);
    const chunk = DuckDBDataChunk.create([VARCHAR, UBIGINT], some.length);
    chunk.setColumnValues(0, some.map(({ projectId }) => projectId));
    chunk.setColumnValues(1, some.map(({ session }) => session));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

/** By day, or by runs of neighbouring days. */
function rangesOf(touched: readonly TouchedSession[]): TouchedSession[][] {
  const byDay = Map.groupBy(touched, ({ dayNumber }) => dayNumber);
  const days = [...byDay.keys()].sort((a, b) => a - b);
  const ranges: TouchedSession[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const day of days) {
    const ofDay = byDay.get(day) ?? [];
    const range = ranges.at(-1);
    if (range !== undefined && days.length > MOST_DAYS && day - last === 1) for (const one of ofDay) range.push(one);
    else ranges.push([...ofDay]);
    last = day;
  }
  return ranges;
}

/** Not by spreading: a batch has more values than a call may have arguments. */
function minMax(values: readonly number[]): [number, number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}
