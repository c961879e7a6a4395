/**
 * Rolls up the running day, once an hour: the events that were received by now, the sessions without a later one, and the
 * hours that are over. Each event is read once for it, a session once for each hour in which it went on, and a report
 * reads only those that came later. Projects with few events are left out, and those with dirty days before today: their
 * rollups come first. All of it is read beside the writer, whose queue has only the rows that come of it.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { dayOf, HOUR_MS } from "../../lib/time.ts";
import { MARGINS } from "../../materialize/margins.ts";
import { HOUR_ROLLUPS, RECEIVED_ROLLUPS } from "../../materialize/rollups.ts";
import type { WantedHours } from "../maintenance.ts";
import type { SelectParams } from "../select.ts";
import { addComputed, computeRollups, inTurn, withDue } from "./added-rollups.ts";
import type { Database } from "./database.ts";
import { joinSmall } from "./partition-groups.ts";
import { readStates } from "./rollup-state.ts";
import { readRows } from "./rows.ts";
import { findRunningDay, type RunningDay, removeRunningDays, replaceRunningDay } from "./running-days.ts";
import { runRead, toStatement } from "./statement.ts";

/**
 * What one statement reads at most, beyond what was received in one second: about a second of one core and 100 MB. Of 1.9
 * million events with 104,000 sessions 26 spans of a quarter of it took 31 s of processor, five of these 12.5: each reads
 * the sessions of the whole day.
 */
const MOST_OF_SPAN = { events: 400_000, sessions: 50_000 };

/** As `received_ms`: no event is rolled up. */
const NOTHING = -1;

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

/** Those that are not rolled up so far, by the second of their receipt. */
interface Second {
  readonly second: number;
  readonly events: number;
  readonly sessions: number;
}

const isOpen = (time: string) => `project_id = {project:String} AND day = {first_day:Date}
        AND ${time} > fromUnixTimestamp64Milli({received_from:Int64})
        AND ${time} <= fromUnixTimestamp64Milli({received_to:Int64})`;

const SECONDS = `SELECT second, CAST(sum(n_events) AS BIGINT) AS events, CAST(sum(n_sessions) AS BIGINT) AS sessions
FROM
(
    SELECT epoch_ms(received_at) // 1000 AS second, count(*) AS n_events, 0 AS n_sessions FROM events
    WHERE ${isOpen("received_at")}
    GROUP BY second
    UNION ALL
    SELECT epoch_ms(received_to) // 1000 AS second, 0 AS n_events, count(*) AS n_sessions FROM sessions
    WHERE ${isOpen("received_to")}
    GROUP BY second
) AS counted
GROUP BY second
ORDER BY second`;

/** Events by the hour, of hours that are over and not rolled up. */
interface Hour {
  readonly ms: number;
  readonly events: number;
}

const HOURS_OPEN = `SELECT epoch_ms(timestamp) // ${HOUR_MS} * ${HOUR_MS} AS ms, count(*) AS events FROM events
WHERE project_id = {project:String} AND day = {day:Date}
    AND timestamp >= fromUnixTimestamp64Milli({hours_from:Int64})
    AND timestamp < fromUnixTimestamp64Milli({hours_to:Int64})
GROUP BY ms
ORDER BY ms`;

const NEWEST = "SELECT epoch_ms(max(received_at)) AS ms FROM events WHERE day = {day:Date}";

/** Resolves with the number of projects that were rolled up. */
export function rollUpHours(
  database: Database,
  wanted: WantedHours,
  signal: AbortSignal,
  most = MOST_OF_SPAN,
): Promise<number> {
  return inTurn(database, () => rollUp(database, wanted, signal, most), signal);
}

async function rollUp(
  database: Database,
  { nowMs, withoutBots, fewestEvents }: WantedHours,
  signal: AbortSignal,
  most: typeof MOST_OF_SPAN,
): Promise<number> {
  const day = dayOf(nowMs);
  const ask = <T>(sql: string, params: SelectParams) =>
    database.aside(async (connection) => readRows(await runRead(connection, sql, params)) as T[], signal);
  const newest = (await ask<{ ms: number | null }>(NEWEST, { day }))[0]?.ms;
  // While the log lags, events are stored long after they were received.
  const storedMs = Math.min(nowMs, newest ?? 0);
  const to = { received: storedMs - MARGINS.receivedMs, hours: hourOf(storedMs - MARGINS.hourIsOverMs) };
  const large = { without_bots: withoutBots, day, received_to: to.received, fewest: fewestEvents };
  let done = 0;
  for (const { project_id } of await ask<{ project_id: string }>(LARGE, large)) {
    const project = { project_id, day, without_bots: withoutBots.includes(project_id) };
    if (await rollUpProject({ database, ask, most, signal }, project, to)) done += 1;
  }
  return done;
}

interface Means {
  readonly database: Database;
  readonly ask: <T>(sql: string, params: SelectParams) => Promise<T[]>;
  readonly most: typeof MOST_OF_SPAN;
  readonly signal: AbortSignal;
}

type Project = Pick<RunningDay, "project_id" | "day" | "without_bots">;

/** Ends where a batch has removed what was rolled up meanwhile. */
async function rollUpProject(
  means: Means,
  project: Project,
  to: { readonly received: number; readonly hours: number },
): Promise<boolean> {
  const { database, ask, most } = means;
  const { running } = await database.write((connection) => announce(connection, project, to));
  if (running === undefined) return false;
  const { project_id, day, received_ms, hours_ms, rolling_ms, rolling_hours_ms } = running;
  const due = {
    ...{ project: project_id, first_day: day, last_day: day },
    ...{ due_projects: [project_id], due_first_days: [day], due_last_days: [day] },
    due_without_bots: [running.without_bots ? 1 : 0],
  };
  const open = { project: project_id, first_day: day, received_from: received_ms, received_to: rolling_ms };
  let received_from = received_ms;
  for (const received_to of endsOf(await ask<Second>(SECONDS, open), most, rolling_ms)) {
    const params = { ...due, slice: 0, slices: 1, received_from, received_to };
    const isDone = await addRollups(means, RECEIVED, [params], (connection) => moveReceived(connection, params));
    if (!isDone) return false;
    received_from = received_to;
  }
  const hours = { project: project_id, day, hours_from: hours_ms, hours_to: rolling_hours_ms };
  for (const { hours_from, hours_to, events } of spansOf(await ask<Hour>(HOURS_OPEN, hours), most, rolling_hours_ms)) {
    const slices = Math.ceil(events / most.events);
    const params = { ...due, slices, hours_from, hours_to };
    const every = Array.from({ length: slices }, (_, slice) => ({ ...params, slice }));
    const isDone = await addRollups(means, HOURS, every, (connection) => moveHours(connection, params));
    if (!isDone) return false;
  }
  return true;
}

/**
 * Says up to which times the day is being rolled up: from now on sessions keep their rows of that time, and a batch that
 * comes too late says so. What was kept for a roll-up that has not ended is of no use.
 */
async function announce(
  connection: DuckDBConnection,
  project: Project,
  to: { readonly received: number; readonly hours: number },
): Promise<{ running?: RunningDay } & typeof NO_CHANGE> {
  const known = await startRunning(connection, project);
  if (known === undefined) return NO_CHANGE;
  const { project_id, received_ms, hours_ms } = known;
  const running = {
    ...known,
    rolling_ms: Math.max(received_ms, to.received),
    rolling_hours_ms: Math.max(hours_ms, to.hours),
  };
  await runAll(connection, [REMOVE_UNUSED], { project: project_id, received_to: received_ms });
  await replaceRunningDay(connection, running);
  return { running, ...NO_CHANGE };
}

/** Every report says the same before and after: for those who keep answers. */
const NO_CHANGE = { changed: [] } as const;

/** The last milliseconds of all spans. Not of equal spans of time: half of a day may come within a minute. */
function endsOf(seconds: readonly Second[], most: typeof MOST_OF_SPAN, last: number): number[] {
  const ends: number[] = [];
  let span = { events: 0, sessions: 0 };
  for (const { second, events, sessions } of seconds) {
    const isFull = span.events + events > most.events || span.sessions + sessions > most.sessions;
    if (isFull && span.events + span.sessions > 0) {
      ends.push(second * 1000 - 1);
      span = { events: 0, sessions: 0 };
    }
    span = { events: span.events + events, sessions: span.sessions + sessions };
  }
  return seconds.length === 0 ? [] : [...ends, last];
}

/** Hours that follow each other, up to the first one of the next span. */
function spansOf(hours: readonly Hour[], most: typeof MOST_OF_SPAN, last: number) {
  const spans = joinSmall(hours, ({ events }) => events, most.events);
  return spans.map((span, nth) => ({
    hours_from: span[0]?.ms ?? last,
    hours_to: spans[nth + 1]?.[0]?.ms ?? last,
    events: span.reduce((sum, { events }) => sum + events, 0),
  }));
}

/** `move` finds out whether what was announced still holds. */
async function addRollups(
  { database, signal }: Means,
  statements: readonly string[],
  every: readonly SelectParams[],
  move: (connection: DuckDBConnection) => Promise<string | undefined>,
): Promise<boolean> {
  await computeRollups(database, statements, every, signal);
  const { isMoved } = await database.write(async (connection) => {
    const some = await move(connection);
    if (some !== undefined) await addComputed(connection, some);
    return { isMoved: some !== undefined, ...NO_CHANGE };
  });
  return isMoved;
}

interface Received extends SelectParams {
  readonly project: string;
  readonly received_from: number;
  readonly received_to: number;
}

/** Resolves with a condition for the rows to add, or undefined when the announcement no longer holds. */
async function moveReceived(connection: DuckDBConnection, params: Received): Promise<string | undefined> {
  const { project, received_from, received_to } = params;
  const running = await findRunningDay(connection, project);
  if (running?.received_ms !== received_from || running.rolling_ms < received_to) return undefined;
  await runAll(connection, [REMOVE_MOVED], params);
  await replaceRunningDay(connection, { ...running, received_ms: received_to });
  return "1 = 1";
}

interface Hours {
  readonly project: string;
  readonly hours_from: number;
  readonly hours_to: number;
}

/** The same; of hours from which on an event came meanwhile, those before it. */
async function moveHours(
  connection: DuckDBConnection,
  { project, hours_from, hours_to }: Hours,
): Promise<string | undefined> {
  const running = await findRunningDay(connection, project);
  const until = Math.min(hours_to, running?.rolling_hours_ms ?? 0);
  if (running === undefined || running.hours_ms > hours_from || until <= hours_from) return undefined;
  await replaceRunningDay(connection, { ...running, hours_ms: until });
  return until === hours_to ? "1 = 1" : `value < '${new Date(until).toISOString().slice(11, 13)}'`;
}

/** What is rolled up so far; undefined where an earlier day has to come first. */
async function startRunning(connection: DuckDBConnection, wanted: Project): Promise<RunningDay | undefined> {
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
  const hours_ms = Date.parse(day);
  return { ...wanted, received_ms: NOTHING, hours_ms, rolling_ms: NOTHING, rolling_hours_ms: hours_ms };
}

/** Also true when today itself is clean, as after the clock was set back, or when its sessions are being rebuilt. */
async function hasDirtyBefore(
  connection: DuckDBConnection,
  { project_id, day }: Project,
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

const RECEIVED = RECEIVED_ROLLUPS.map(withDue);
const HOURS = HOUR_ROLLUPS.map(withDue);

/** Rows that were kept for a roll-up that has not ended. */
const REMOVE_UNUSED = `DELETE FROM replaced_sessions
WHERE project_id = {project:String} AND received_to > fromUnixTimestamp64Milli({received_to:Int64})`;

/** Their sessions are now rolled up as they were later. */
const REMOVE_MOVED = `DELETE FROM replaced_sessions
WHERE project_id = {project:String} AND received_to <= fromUnixTimestamp64Milli({received_from:Int64}) AND session IN
    (
        SELECT session FROM sessions WHERE ${isOpen("received_to")}
        UNION ALL
        SELECT session FROM replaced_sessions WHERE ${isOpen("received_to")}
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
