/**
 * Materializes rollups of finished partitions, in the order of days: `seen_before` of a partition depends on all
 * earlier ones. The transaction that completes the rollups of a partition moves `clean_through` to its day. A late
 * event reverts that in its own transaction (mark-dirty.ts), so that a partition is always either clean or dirty.
 *
 * Small partitions, of several days and projects, are a group that one transaction materializes: each statement covers
 * all of them (partition-groups.ts says why). A large partition is alone, in slices with a transaction each.
 *
 * All rollups of a project are made of the same sessions: of all, or of those of people. When the project's setting
 * changes, the first partition removes the rollups of all, and they are made again.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { withParts } from "../../lib/sql.ts";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { MARGINS } from "../../materialize/margins.ts";
import { ROLLUPS } from "../../materialize/rollups.ts";
import type { DuePartition, ListedPartition, Partition } from "../port.ts";
import type { Database } from "./database.ts";
import { changeSessions, findReady, type ReadyPartition } from "./dirty-days.ts";
import { daysOf, joinSmall } from "./partition-groups.ts";
import { countStale, materializeProfiles, mergeStale, removeProfilesFrom } from "./profiles.ts";
import { BEFORE_ALL, replaceStates } from "./rollup-state.ts";
import { findRunningDay, removeRunningDays } from "./running-days.ts";
import { toStatement } from "./statement.ts";

/**
 * Rows of `sessions` of a group or a slice. The writer waits for each, 1.2 s with 10,000 and 1.5 s with 25,000: most of it
 * is spent on the days before, which each group reads again.
 */
const SLICE_SESSIONS = 25_000;

interface Counted {
  readonly sessions: number;
}
const sessionsOf = ({ sessions }: Counted) => sessions;

const DIRTY = `SELECT s.project_id AS project_id, s.day AS day, s.without_bots AS without_bots, s.sessions AS sessions
FROM
(
    SELECT project_id, day, project_id IN {without_bots:Array(String)} AS without_bots, count(*) AS sessions
    FROM sessions WHERE day <= {last_day:Date}
    GROUP BY project_id, day
) AS s
LEFT JOIN rollup_state AS r ON r.project_id = s.project_id
WHERE r.project_id IS NULL
    OR (s.day > r.clean_through OR s.without_bots != r.without_bots)
        AND (epoch_ms(r.dirty_at) <= {quiet_since:Int64} OR epoch_ms(r.dirty_since) <= {waiting_since:Int64})
ORDER BY
    coalesce(s.without_bots != r.without_bots AND r.clean_through > DATE '${BEFORE_ALL}', false),
    min(s.day) OVER (PARTITION BY s.project_id),
    s.project_id,
    s.day`;

/**
 * Dirty partitions of finished days, the project with the oldest first. Partitions of a project with recent late events
 * wait, for a bounded time. Projects come last whose reports have changed between counting and leaving out bots.
 */
export async function listDirty(
  database: Database,
  nowMs: number,
  withoutBots: readonly string[],
): Promise<ListedPartition[]> {
  const params = {
    without_bots: withoutBots,
    last_day: dayOf(nowMs - MARGINS.dayIsOverMs - DAY_MS),
    quiet_since: nowMs - MARGINS.quietMs,
    waiting_since: nowMs - MARGINS.longestWaitMs,
  };
  const { rows } = await database.select<DuePartition & Counted>(DIRTY, { params });
  return joinSmall(rows, sessionsOf, SLICE_SESSIONS).flatMap((partitions, group) =>
    partitions.map(({ project_id, day, without_bots }) => ({ project_id, day, without_bots, group })),
  );
}

const SIZES = `SELECT project_id, day, count(*) AS sessions FROM sessions
WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date}
GROUP BY project_id, day`;

/** Resolves with the partitions that are now clean. */
export async function materialize(
  database: Database,
  partitions: readonly DuePartition[],
  signal: AbortSignal,
  sliceSessions = SLICE_SESSIONS,
): Promise<Partition[]> {
  if (partitions.length === 0) return [];
  const params = { projects: [...new Set(partitions.map(({ project_id }) => project_id))], ...daysOf(partitions) };
  const { rows } = await database.select<Partition & Counted>(SIZES, { params, signal });
  const sizes = new Map(rows.map(({ project_id, day, sessions }) => [`${day} ${project_id}`, sessions]));
  const sizeOf = ({ project_id, day }: Partition) => sizes.get(`${day} ${project_id}`) ?? 0;
  const done: Partition[] = [];
  for (const group of joinSmall(byProject(partitions), sizeOf, sliceSessions)) {
    signal.throwIfAborted();
    const clean = await materializeGroup(database, group, sliceSessions);
    done.push(...clean.map(({ project_id, day }) => ({ project_id, day })));
  }
  return done;
}

/**
 * Projects one after the other, and their days in order: each statement reads the earlier sessions of the group's projects.
 * 187,650 sessions in 450 partitions took 47 s of processor in the order of days, 26 in this.
 */
function byProject(partitions: readonly DuePartition[]): DuePartition[] {
  const projects = Map.groupBy(partitions, ({ project_id }) => project_id);
  return [...projects.values()].flatMap((own) => own.toSorted((a, b) => (a.day < b.day ? -1 : 1)));
}

/**
 * Without the partitions before which another one of their project is dirty, and without those that late events have made
 * too large for the group meanwhile: they are materialized later.
 */
async function materializeGroup(
  database: Database,
  group: readonly DuePartition[],
  sliceSessions: number,
): Promise<readonly Partition[]> {
  for (const [project] of ofProjects(group)) await mergeStale(database, project);
  const { clean, large } = await database.write(async (connection) => {
    await changeSessions(connection, group);
    const merged = await withoutStale(connection, group);
    const [ready = []] = joinSmall(await findReady(connection, merged), sessionsOf, sliceSessions);
    // Also where a running day has no rows yet, as one of bots that are left out: reports would read each slice.
    for (const partition of ready)
      if (partition.rollups > 0 || partition.sessions > sliceSessions) await removeRollups(connection, partition);
    for (const [project, own] of ofProjects(ready))
      await removeProfilesFrom(connection, project, daysOf(own).first_day);
    const [first] = ready;
    if (first === undefined) return { clean: [] };
    if (first.sessions > sliceSessions) return { clean: [], large: first };
    await insertRollups(connection, ready, { slice: 0, slices: 1 });
    await insertProfiles(connection, ready, { slice: 0, slices: 1 });
    await moveClean(connection, ready);
    return { clean: ready };
  });
  if (large === undefined) return clean;
  return (await materializeInSlices(database, large, sliceSessions)) ? [large] : [];
}

/**
 * False when a late event arrived or a rebuild began meanwhile. The partition stays dirty until its last slice is written,
 * so that no report reads its rollups.
 */
async function materializeInSlices(
  database: Database,
  partition: ReadyPartition,
  sliceSessions: number,
): Promise<boolean> {
  const slices = Math.ceil(partition.sessions / sliceSessions);
  let rows = 0;
  for (let slice = 0; slice < slices; slice += 1) {
    const isClean = await database.write(async (connection) => {
      rows += await insertRollups(connection, [partition], { slice, slices });
      await insertProfiles(connection, [partition], { slice, slices });
      if (slice < slices - 1) return true;
      const [now] = await findReady(connection, [partition]);
      // A late event has removed rows, or a rebuild those of earlier partitions.
      if (now?.rollups !== rows || now.state?.dirty_ms !== partition.state?.dirty_ms) return false;
      await moveClean(connection, [now]);
      return true;
    });
    if (!isClean) return false;
  }
  return true;
}

/** Rows of an interrupted run, or of the time when the day was running. */
async function removeRollups(connection: DuckDBConnection, { project_id, day }: Partition): Promise<void> {
  if ((await findRunningDay(connection, project_id))?.day === day) await removeRunningDays(connection, [project_id]);
  const sql = "DELETE FROM rollups WHERE project_id = $project_id AND day = CAST($day AS DATE)";
  await connection.run(sql, { project_id, day });
}

/** One row for each project: its partitions in the group follow each other. */
export const DUE = `SELECT
    unnest({due_projects:Array(String)}) AS due_project,
    unnest({due_first_days:Array(Date)}) AS first_day,
    unnest({due_last_days:Array(Date)}) AS last_day,
    unnest({due_without_bots:Array(Int64)}) AS without_bots`;

/** Rows of a dimension have zeros in the same columns: sorted, rollups took 11.0 instead of 17.6 MB. */
const INSERTS = ROLLUPS.map(
  (sql) => `INSERT INTO rollups\n${withParts([{ name: "due", sql: DUE }], sql)}\nORDER BY dimension, value`,
);

/** Resolves with the number of rows. */
async function insertRollups(
  connection: DuckDBConnection,
  partitions: readonly DuePartition[],
  slice: { slice: number; slices: number },
): Promise<number> {
  const projects = [...Map.groupBy(partitions, ({ project_id }) => project_id).values()];
  const params = {
    ...slice,
    ...daysOf(partitions),
    due_projects: projects.map(([first]) => first?.project_id),
    due_first_days: projects.map((own) => daysOf(own).first_day),
    due_last_days: projects.map((own) => daysOf(own).last_day),
    due_without_bots: projects.map(([first]) => (first?.without_bots === true ? 1 : 0)),
  };
  let rows = 0;
  for (const text of INSERTS) {
    const { sql, values } = toStatement(text, params);
    rows += (await connection.run(sql, values)).rowsChanged;
  }
  return rows;
}

/** The days of a project in a group follow each other. */
async function insertProfiles(
  connection: DuckDBConnection,
  partitions: readonly ReadyPartition[],
  slice: { slice: number; slices: number },
): Promise<void> {
  for (const [project, own] of ofProjects(partitions))
    if (own.some(({ wallets }) => wallets > 0))
      await materializeProfiles(connection, { project, ...daysOf(own), ...slice });
}

/** Without projects whose profiles a late event has made stale since they were merged: they come later. */
async function withoutStale(
  connection: DuckDBConnection,
  partitions: readonly DuePartition[],
): Promise<DuePartition[]> {
  const merged: DuePartition[] = [];
  for (const [project, own] of ofProjects(partitions))
    if ((await countStale(connection, project)) === 0) merged.push(...own);
  return merged;
}

function ofProjects<T extends Partition>(partitions: readonly T[]): Map<string, T[]> {
  return Map.groupBy(partitions, ({ project_id }) => project_id);
}

/** Records that the partitions, and all earlier ones of their projects, are clean. */
async function moveClean(connection: DuckDBConnection, partitions: readonly ReadyPartition[]): Promise<void> {
  const last = new Map(partitions.map((partition) => [partition.project_id, partition]));
  for (const { project_id, day } of last.values())
    for (const table of ["running_days", "replaced_sessions"])
      await connection.run(`DELETE FROM ${table} WHERE project_id = $project_id AND day <= CAST($day AS DATE)`, {
        project_id,
        day,
      });
  await replaceStates(
    connection,
    [...last.values()].map(({ project_id, day, without_bots, state }) => {
      const unknown = { project_id, removed_before: BEFORE_ALL, dirty_ms: 0, since_ms: 0 };
      return { ...unknown, ...state, clean_through: day, without_bots };
    }),
  );
}
