/**
 * What `rollups` has of days that are still running (schema/0010_running_days.sql, decision 0033). Of a session that goes
 * on the rows are kept under which it was rolled up, or is just being rolled up (schema/0013_rolling_days.sql). What is
 * rolled up of events stays right while their session counts as it did: as a bot's or a person's, and its amounts under
 * the same first touch and paid source. A batch that changes this removes everything; that is rare.
 */
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { HOUR_MS } from "../../lib/time.ts";
import { ROLLED_UP_COLUMNS } from "../../materialize/rollups.ts";
import { daysClause } from "./days-clause.ts";
import { IS_OWN_ROW } from "./own-rows.ts";
import { readRows } from "./rows.ts";

export interface RunningDay {
  readonly project_id: string;
  readonly day: string;
  readonly received_ms: number;
  readonly hours_ms: number;
  readonly without_bots: boolean;
  /** How far it is being rolled up, `received_ms` and `hours_ms` or later. */
  readonly rolling_ms: number;
  readonly rolling_hours_ms: number;
}

const COLUMNS = `project_id, day, epoch_ms(received_to) AS received_ms, epoch_ms(hours_to) AS hours_ms, without_bots,
  epoch_ms(rolling_to) AS rolling_ms, epoch_ms(rolling_hours_to) AS rolling_hours_ms`;

export async function findRunningDay(connection: DuckDBConnection, project: string): Promise<RunningDay | undefined> {
  const found = await connection.runAndReadAll(`SELECT ${COLUMNS} FROM running_days WHERE project_id = $project`, {
    project,
  });
  return (readRows(found) as unknown as RunningDay[])[0];
}

/** Replaced rather than updated: see rollup-state.ts. */
export async function replaceRunningDay(connection: DuckDBConnection, running: RunningDay): Promise<void> {
  const { project_id: project, day, without_bots } = running;
  await connection.run("DELETE FROM running_days WHERE project_id = $project", { project });
  const time = (name: string) => `make_timestamp_ms(CAST($${name} AS BIGINT))`;
  await connection.run(
    `INSERT INTO running_days VALUES ($project, CAST($day AS DATE), ${time("received_ms")}, ${time("hours_ms")},
       $without_bots, ${time("rolling_ms")}, ${time("rolling_hours_ms")})`,
    {
      ...{ project, day, without_bots },
      received_ms: String(running.received_ms),
      hours_ms: String(running.hours_ms),
      rolling_ms: String(running.rolling_ms),
      rolling_hours_ms: String(running.rolling_hours_ms),
    },
  );
}

/** True if something of one of these days is rolled up, or of a later one. */
export async function hasRunning(connection: DuckDBConnection, days: readonly string[]): Promise<boolean> {
  const [first] = days.toSorted();
  if (first === undefined) return false;
  const found = await connection.runAndReadAll(`SELECT 1 FROM running_days WHERE day >= DATE '${first}' LIMIT 1`);
  return found.currentRowCount > 0;
}

/** Removes what is rolled up of the running days of these projects. */
export async function removeRunningDays(connection: DuckDBConnection, projects: readonly string[]): Promise<void> {
  if (projects.length === 0) return;
  const values = { projects: listValue([...projects]) };
  const ofProjects = "project_id IN CAST($projects AS VARCHAR[])";
  await connection.run(
    `DELETE FROM rollups WHERE (project_id, day) IN (SELECT project_id, day FROM running_days WHERE ${ofProjects})`,
    values,
  );
  await connection.run(`DELETE FROM running_days WHERE ${ofProjects}`, values);
  await connection.run(`DELETE FROM replaced_sessions WHERE ${ofProjects}`, values);
}

const KEPT = [...ROLLED_UP_COLUMNS, "received_to"];

/** Keeps those of the `replaced` rows of `sessions` that are rolled up, or about to be. Call it while they exist. */
export async function keepReplaced(connection: DuckDBConnection): Promise<void> {
  await connection.run(`INSERT INTO replaced_sessions (${KEPT.join(", ")})
    SELECT ${KEPT.map((name) => `s.${name}`).join(", ")} FROM sessions AS s
    INNER JOIN
    (
        SELECT r.id AS id FROM replaced AS r
        INNER JOIN running_days AS t ON t.project_id = r.project_id AND t.day = r.day
        WHERE r.received_to <= t.rolling_to
    ) AS r ON r.id = s.rowid`);
}

/** Hours from that of the day's earliest new event on are read from events again. */
interface NewEvents {
  readonly project_id: string;
  readonly rolling_hours_ms: number;
  readonly is_known: boolean;
  readonly earliest_ms: number;
}

/** `events` are the new ones of a batch, already merged into their sessions. */
export async function reopenHours(connection: DuckDBConnection, events: string): Promise<void> {
  const found = await connection.runAndReadAll(`SELECT
      t.project_id AS project_id,
      epoch_ms(t.rolling_hours_to) AS rolling_hours_ms,
      min(e.received_at) <= t.rolling_to OR min(e.day) < t.day AS is_known,
      epoch_ms(min(e.timestamp)) AS earliest_ms
    FROM ${events} AS e
    INNER JOIN running_days AS t ON t.project_id = e.project_id AND t.day >= e.day
    GROUP BY t.project_id, t.day, t.rolling_hours_to, t.rolling_to`);
  const rows = readRows(found) as unknown as NewEvents[];
  // An event that was received before those that are rolled up, as a replayed one, would be in no row. Nor would one of a
  // day before the running one, which comes only after the clock was set back: otherwise that day is over (mark-dirty.ts).
  const outdated = rows.filter(({ is_known }) => is_known).map(({ project_id }) => project_id);
  await removeRunningDays(connection, outdated);
  for (const { project_id, earliest_ms, rolling_hours_ms } of rows) {
    if (outdated.includes(project_id) || earliest_ms >= rolling_hours_ms) continue;
    const running = await findRunningDay(connection, project_id);
    if (running === undefined) continue;
    const hour = Math.floor(earliest_ms / HOUR_MS) * HOUR_MS;
    await removeHours(connection, running, hour);
    const hours_ms = Math.min(running.hours_ms, hour);
    await replaceRunningDay(connection, { ...running, hours_ms, rolling_hours_ms: hour });
  }
}

async function removeHours(connection: DuckDBConnection, { project_id, day }: RunningDay, fromMs: number) {
  await connection.run(
    `DELETE FROM rollups WHERE project_id = $project AND day = CAST($day AS DATE)
       AND dimension IN ('hour', 'hour wallets') AND value >= $hour`,
    { project: project_id, day, hour: new Date(fromMs).toISOString().slice(11, 13) },
  );
}

/**
 * Removes what is rolled up of projects in which a session now counts otherwise: a bot's as a person's or the reverse, or
 * its amounts under another first touch or paid source. Call it while the `replaced` rows of `sessions` and those that
 * replace them both exist. `events` are those of the batch: where one of them is the first touch or the first paid event
 * of a session that was there before, another was. So only new rows are read; the replaced ones lie all over the day.
 */
export async function removeOutdated(
  connection: DuckDBConnection,
  events: string,
  days: readonly string[],
): Promise<void> {
  await connection.run(`CREATE OR REPLACE TEMP TABLE changed AS
    SELECT DISTINCT n.project_id AS project_id, n.session AS session, n.device AS device
    FROM (SELECT * FROM sessions WHERE ${IS_OWN_ROW} AND is_first) AS n
    INNER JOIN (
        SELECT session, CAST(epoch_ms(timestamp) AS UBIGINT) * 1048576 + dedupe_key % 1048576 AS rank FROM ${events}
    ) AS e ON e.session = n.session
    WHERE (n.touch_rank % 9223372036854775808 = e.rank OR n.paid_rank = e.rank)
        AND n.session IN (SELECT session FROM replaced)
        AND n.project_id IN (SELECT project_id FROM running_days)`);
  const changed = await connection.runAndReadAll("SELECT 1 FROM changed LIMIT 1");
  if (changed.currentRowCount === 0) return;
  const found = await connection.runAndReadAll(`SELECT c.project_id AS project_id
    FROM changed AS c
    INNER JOIN replaced AS r ON r.session = c.session
    INNER JOIN sessions AS o ON o.rowid = r.id
    WHERE (o.device = 'bot') != (c.device = 'bot')
    UNION
    SELECT e.project_id FROM events AS e
    SEMI JOIN changed AS c ON c.project_id = e.project_id AND c.session = e.session
    WHERE ${daysClause("e.day", days)} AND NOT (e.${IS_OWN_ROW}) AND (e.revenue != 0 OR e.volume != 0)`);
  const projects = (readRows(found) as { project_id: string }[]).map(({ project_id }) => project_id);
  await removeRunningDays(connection, projects);
}
