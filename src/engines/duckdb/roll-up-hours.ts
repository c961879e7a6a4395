/**
 * Rolls up the running day, once an hour: the events that were received by now, the sessions without a later one, and the
 * hours that are over. Each event is read once for it, a session once for each hour in which it went on, and a report
 * reads only those that came later. Projects with few events are left out, and
 * those with dirty days before today: their rollups come first.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { withParts } from "../../lib/sql.ts";
import { dayOf, HOUR_MS, MINUTE_MS } from "../../lib/time.ts";
import { MARGINS } from "../../materialize/margins.ts";
import { HOUR_ROLLUPS, RECEIVED_ROLLUPS } from "../../materialize/rollups.ts";
import type { WantedHours } from "../port.ts";
import type { Database } from "./database.ts";
import { DUE } from "./materialize.ts";
import { readStates } from "./rollup-state.ts";
import { findRunningDay, type RunningDay, removeRunningDays, replaceRunningDay } from "./running-days.ts";
import { toStatement } from "./statement.ts";

/**
 * Of one transaction at most, beyond those of one minute: the writer waits as long. A session takes 0.09 ms of processor,
 * an event 4 us, and planning 450 ms, however few there are.
 */
const MOST_OF_SPAN = { events: 100_000, sessions: 15_000 };

/** As `received_ms`: no event is rolled up. */
const NOTHING = -1;

interface Project {
  readonly project_id: string;
}

const LARGE = `SELECT e.project_id AS project_id
FROM events AS e
LEFT JOIN running_days AS t ON t.project_id = e.project_id AND t.day = e.day
    AND t.without_bots = (e.project_id IN {without_bots:Array(String)})
WHERE e.day = {day:Date}
    AND e.received_at <= fromUnixTimestamp64Milli({received_to:Int64})
    AND (t.received_to IS NULL OR e.received_at > t.received_to)
GROUP BY e.project_id
HAVING count(*) >= {fewest:Int64}
ORDER BY e.project_id`;

/** Those that are not rolled up so far, by the minute of their receipt. */
interface Minute {
  readonly minute: number;
  readonly events: number;
  readonly sessions: number;
}

const isOpen = (time: string) => `project_id = {project:String} AND day = {day:Date}
        AND ${time} > coalesce((SELECT received_to FROM rolled_up), TIMESTAMP_MS '1900-01-01')
        AND ${time} <= fromUnixTimestamp64Milli({received_to:Int64})`;

const MINUTES = `WITH rolled_up AS
(
    SELECT max(received_to) AS received_to FROM running_days
    WHERE project_id = {project:String} AND day = {day:Date}
        AND without_bots = ({project:String} IN {without_bots:Array(String)})
)
SELECT minute, CAST(sum(n_events) AS BIGINT) AS events, CAST(sum(n_sessions) AS BIGINT) AS sessions
FROM
(
    SELECT epoch_ms(received_at) // ${MINUTE_MS} AS minute, count(*) AS n_events, 0 AS n_sessions FROM events
    WHERE ${isOpen("received_at")}
    GROUP BY minute
    UNION ALL
    SELECT epoch_ms(received_to) // ${MINUTE_MS} AS minute, 0 AS n_events, count(*) AS n_sessions FROM sessions
    WHERE ${isOpen("received_to")}
    GROUP BY minute
) AS counted
GROUP BY minute
ORDER BY minute`;

const NEWEST = "SELECT epoch_ms(max(received_at)) AS ms FROM events WHERE day = {day:Date}";

/** Resolves with the number of projects that were rolled up. */
export async function rollUpHours(
  database: Database,
  { nowMs, withoutBots, fewestEvents }: WantedHours,
  signal: AbortSignal,
  most = MOST_OF_SPAN,
): Promise<number> {
  const day = dayOf(nowMs);
  const newest = (await database.select<{ ms: number | null }>(NEWEST, { params: { day }, signal })).rows[0]?.ms;
  // While the log lags, events are stored long after they were received.
  const storedMs = Math.min(nowMs, newest ?? 0);
  const to = { received: storedMs - MARGINS.receivedMs, hours: hourOf(storedMs - MARGINS.hourIsOverMs) };
  const params = { without_bots: withoutBots, day, received_to: to.received, fewest: fewestEvents };
  const { rows } = await database.select<Project>(LARGE, { params, signal });
  let done = 0;
  for (const project of rows) {
    const ofProject = { without_bots: withoutBots, day, project: project.project_id, received_to: to.received };
    const minutes = (await database.select<Minute>(MINUTES, { params: ofProject, signal })).rows;
    const ends = [...endsOf(minutes, most), to.received];
    const isDone = await rollUpProject(database, { ...project, day, withoutBots, to, ends, signal });
    if (isDone) done += 1;
  }
  return done;
}

interface Wanted extends Project {
  readonly day: string;
  readonly withoutBots: readonly string[];
  readonly to: { readonly received: number; readonly hours: number };
  /** Of the spans of receipt, each a transaction. */
  readonly ends: readonly number[];
  readonly signal: AbortSignal;
}

/** The last milliseconds of all spans but the last. Not of equal spans of time: half of a day may come within a minute. */
function endsOf(minutes: readonly Minute[], most: typeof MOST_OF_SPAN): number[] {
  const ends: number[] = [];
  let span = { events: 0, sessions: 0 };
  for (const { minute, events, sessions } of minutes) {
    const isFull = span.events + events > most.events || span.sessions + sessions > most.sessions;
    if (isFull && span.events + span.sessions > 0) {
      ends.push(minute * MINUTE_MS - 1);
      span = { events: 0, sessions: 0 };
    }
    span = { events: span.events + events, sessions: span.sessions + sessions };
  }
  return ends;
}

/**
 * A transaction for each span; the last one has the hours, too. Ends where a batch has removed what was rolled up between
 * two of them: the next one would have all spans before it as well.
 */
async function rollUpProject(database: Database, wanted: Wanted): Promise<boolean> {
  for (const [nth, received] of wanted.ends.entries()) {
    wanted.signal.throwIfAborted();
    const isReady = await database.write((connection) => rollUp(connection, wanted, received, nth));
    if (!isReady) return false;
  }
  return true;
}

async function rollUp(connection: DuckDBConnection, wanted: Wanted, receivedMs: number, nth: number): Promise<boolean> {
  const { project_id, day, to, ends } = wanted;
  const without_bots = wanted.withoutBots.includes(project_id);
  const running = await startRunning(connection, { project_id, day, without_bots, received_ms: NOTHING, hours_ms: 0 });
  if (running === undefined || (nth > 0 && running.received_ms === NOTHING)) return false;
  const hoursMs = nth === ends.length - 1 ? Math.max(running.hours_ms, to.hours) : running.hours_ms;
  const params = {
    slice: 0,
    slices: 1,
    first_day: day,
    last_day: day,
    due_projects: [project_id],
    due_first_days: [day],
    due_last_days: [day],
    due_without_bots: [without_bots ? 1 : 0],
  };
  if (receivedMs > running.received_ms) {
    const received = { received_from: running.received_ms, received_to: receivedMs };
    await runAll(connection, RECEIVED, { ...params, ...received });
    await runAll(connection, [REMOVE_MOVED], { project: project_id, day, ...received });
  }
  const hours = { hours_from: running.hours_ms, hours_to: hoursMs };
  if (hoursMs > running.hours_ms) await runAll(connection, HOURS, { ...params, ...hours });
  await replaceRunningDay(connection, {
    ...running,
    received_ms: Math.max(running.received_ms, receivedMs),
    hours_ms: hoursMs,
  });
  return true;
}

/** What is rolled up so far; undefined where an earlier day has to come first. */
async function startRunning(connection: DuckDBConnection, wanted: RunningDay): Promise<RunningDay | undefined> {
  const { project_id, day, without_bots } = wanted;
  const state = (await readStates(connection, [project_id])).get(project_id);
  const isOfOthers = state !== undefined && state.without_bots !== without_bots;
  if (isOfOthers || (await hasDirtyBefore(connection, wanted, state?.clean_through))) return undefined;
  const known = await findRunningDay(connection, project_id);
  if (known?.day === day && known.without_bots === without_bots) return known;
  await removeRunningDays(connection, [project_id]);
  // Rows of an interrupted run.
  const ofDay = "DELETE FROM rollups WHERE project_id = $project AND day >= CAST($day AS DATE)";
  await connection.run(ofDay, { project: project_id, day });
  return { ...wanted, hours_ms: Date.parse(day) };
}

/** Also true when today itself is clean, as after the clock was set back, or when its sessions are being rebuilt. */
async function hasDirtyBefore(
  connection: DuckDBConnection,
  { project_id, day }: RunningDay,
  cleanThrough = dayOf(0),
): Promise<boolean> {
  if (cleanThrough >= day) return true;
  const found = await connection.runAndReadAll(
    `SELECT 1 FROM sessions WHERE project_id = $project AND day < CAST($day AS DATE) AND day > CAST($clean AS DATE)
     UNION ALL SELECT 1 FROM outdated_sessions WHERE project_id = $project
     LIMIT 1`,
    { project: project_id, day, clean: cleanThrough },
  );
  return found.currentRowCount > 0;
}

const withDue = (sql: string) =>
  `INSERT INTO rollups\n${withParts([{ name: "due", sql: DUE }], sql)}\nORDER BY dimension, value`;
const RECEIVED = RECEIVED_ROLLUPS.map(withDue);
const HOURS = HOUR_ROLLUPS.map(withDue);

/** Their sessions are now rolled up as they are. */
const REMOVE_MOVED = `DELETE FROM replaced_sessions
WHERE project_id = {project:String} AND session IN
    (
        SELECT session FROM sessions
        WHERE project_id = {project:String} AND day = {day:Date}
            AND received_to > fromUnixTimestamp64Milli({received_from:Int64})
            AND received_to <= fromUnixTimestamp64Milli({received_to:Int64})
    )`;

async function runAll(
  connection: DuckDBConnection,
  statements: readonly string[],
  params: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const text of statements) {
    const { sql, values } = toStatement(text, params);
    await connection.run(sql, values);
  }
}

function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}
