/**
 * Materializes rollups of finished partitions, in the order of days: `seen_before` of a partition depends on all
 * earlier ones. The transaction that completes the rollups of a partition moves `clean_through` to its day. A late
 * event reverts that in its own transaction (mark-dirty.ts), so that a partition is always either clean or dirty.
 *
 * Small partitions, of several days and projects, are a group that one transaction materializes: each statement covers
 * all of them (partition-groups.ts says why). A large partition is alone, in slices with a transaction each. Rollups are
 * computed beside the writer (added-rollups.ts), and those of a project are added if no late event of it has come
 * meanwhile.
 *
 * All rollups of a project are made of the same sessions: of all, or of those of people. When the project's setting
 * changes, the first partition removes the rollups of all, and they are made again.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { MARGINS } from "../../materialize/margins.ts";
import { ROLLUPS } from "../../materialize/rollups.ts";
import { EngineBusy } from "../failures.ts";
import type { DuePartition, ListedPartition, Partition } from "../maintenance.ts";
import type { SelectParams } from "../select.ts";
import { addComputed, computeRollups, inTurn, OF_PROJECTS, withDue } from "./added-rollups.ts";
import type { Database } from "./database.ts";
import { changeSessions, findReady, type ReadyPartition } from "./dirty-days.ts";
import { daysOf, joinSmall } from "./partition-groups.ts";
import { addComputedProfiles, computeProfiles, countStale, mergeStale, removeProfilesFrom } from "./profiles.ts";
import { BEFORE_ALL, type RollupState, replaceStates } from "./rollup-state.ts";
import { findRunningDay, removeRunningDays } from "./running-days.ts";
import { sortRollups } from "./sort-rollups.ts";

/** Rows of `sessions` of a group or a slice. Most of its time is spent on the days before, which each group reads again. */
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
  return inTurn(database, () => materializeAll(database, partitions, signal, sliceSessions), signal);
}

async function materializeAll(
  database: Database,
  partitions: readonly DuePartition[],
  signal: AbortSignal,
  sliceSessions: number,
): Promise<Partition[]> {
  const params = { projects: [...new Set(partitions.map(({ project_id }) => project_id))], ...daysOf(partitions) };
  const { rows } = await database.select<Partition & Counted>(SIZES, { params, signal });
  const sizes = new Map(rows.map(({ project_id, day, sessions }) => [`${day} ${project_id}`, sessions]));
  const sizeOf = ({ project_id, day }: Partition) => sizes.get(`${day} ${project_id}`) ?? 0;
  const done: Partition[] = [];
  for (const group of joinSmall(byProject(partitions), sizeOf, sliceSessions)) {
    signal.throwIfAborted();
    const clean = await materializeGroup(database, group, sliceSessions, signal);
    done.push(...clean.map(({ project_id, day }) => ({ project_id, day })));
  }
  await sortRollups(database, [...ofProjects(done).keys()], signal).catch((cause: unknown) => {
    // Without the time or the memory for it now: the partitions are clean, and others are to follow them.
    if (!(cause instanceof EngineBusy)) throw cause;
  });
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
  signal: AbortSignal,
): Promise<readonly Partition[]> {
  for (const [project] of ofProjects(group)) await mergeStale(database, project);
  const ready = await database.write(async (connection) => {
    await changeSessions(connection, group);
    const merged = await withoutStale(connection, group);
    const [found = []] = joinSmall(await findReady(connection, merged), sessionsOf, sliceSessions);
    // Also where a running day has no rows yet, as one of bots that are left out: reports would read each slice.
    for (const partition of found)
      if (partition.rollups > 0 || partition.sessions > sliceSessions) await removeRollups(connection, partition);
    for (const [project, own] of ofProjects(found))
      await removeProfilesFrom(connection, project, daysOf(own).first_day);
    return withStates(connection, found);
  });
  const [first] = ready;
  if (first === undefined) return [];
  // A larger partition is alone.
  const slices = Math.max(1, Math.ceil(first.sessions / sliceSessions));
  return materializeInSlices(database, ready, slices, signal);
}

/** Every project gets a state, so that a change of it is seen later. */
async function withStates(connection: DuckDBConnection, ready: readonly ReadyPartition[]): Promise<ReadyPartition[]> {
  const all = ready.map((partition) => ({ ...partition, state: partition.state ?? newState(partition) }));
  const isNew = new Set(ready.filter(({ state }) => state === undefined).map(({ project_id }) => project_id));
  const states = new Map(all.map(({ project_id, state }) => [project_id, state]));
  await replaceStates(
    connection,
    [...states.values()].filter(({ project_id }) => isNew.has(project_id)),
  );
  return all;
}

function newState({ project_id, without_bots }: DuePartition): RollupState {
  const never = { clean_through: BEFORE_ALL, removed_before: BEFORE_ALL, dirty_ms: 0, since_ms: 0 };
  return { project_id, ...never, without_bots };
}

/**
 * Resolves with those that are now clean: without the partitions of a project of which a late event arrived, or a rebuild
 * began, meanwhile. At full load the statements of a group wait for half a minute together, and the late events of one
 * project must not keep all others from their rollups. Partitions stay dirty until their last slice is written, so that
 * no report reads their rollups.
 */
async function materializeInSlices(
  database: Database,
  partitions: readonly ReadyPartition[],
  slices: number,
  signal: AbortSignal,
): Promise<readonly Partition[]> {
  const hasWallets = partitions.some(({ wallets }) => wallets > 0);
  let rows = 0;
  let clean: readonly Partition[] = [];
  for (let slice = 0; slice < slices; slice += 1) {
    const params = { slice, slices, ...dueParams(partitions) };
    await computeRollups(database, STATEMENTS, [params], signal);
    if (hasWallets) await computeProfiles(database, params, signal);
    const same = await database.write(async (connection) => {
      const now = findSame(partitions, await findReady(connection, partitions), rows);
      if (now.length === 0) return now;
      const projects = [...ofProjects(now).keys()];
      rows += await addComputed(connection, OF_PROJECTS, { projects });
      if (hasWallets) await addComputedProfiles(connection, projects);
      if (slice === slices - 1) await moveClean(connection, now);
      return now;
    });
    if (same.length === 0) return [];
    clean = same;
  }
  return clean;
}

/**
 * The partitions of projects of which nothing has changed. `rows` is the number of rollups that a partition has so far: a
 * late event has removed some, or a rebuild those of earlier partitions.
 */
function findSame(
  before: readonly ReadyPartition[],
  now: readonly ReadyPartition[],
  rows: number,
): readonly ReadyPartition[] {
  const found = ofProjects(now);
  return [...ofProjects(before)].flatMap(([project, own]) => {
    const others = found.get(project) ?? [];
    const isSame = own.length === others.length && own.every((one, nth) => isSameState(one, others[nth]));
    return isSame && others.every(({ rollups }) => rollups === rows) ? others : [];
  });
}

/**
 * `dirty_ms` alone would not do: a late event may come in the millisecond of the one before. Retention and a rebuild
 * change it.
 */
function isSameState(one: ReadyPartition, other: ReadyPartition | undefined): boolean {
  return (
    one.day === other?.day &&
    one.events === other.events &&
    one.state?.dirty_ms === other.state?.dirty_ms &&
    one.state?.clean_through === other.state?.clean_through
  );
}

/** Rows of an interrupted run, or of the time when the day was running. */
async function removeRollups(connection: DuckDBConnection, { project_id, day }: Partition): Promise<void> {
  if ((await findRunningDay(connection, project_id))?.day === day) await removeRunningDays(connection, [project_id]);
  const sql = "DELETE FROM rollups WHERE project_id = $project_id AND day = CAST($day AS DATE)";
  await connection.run(sql, { project_id, day });
}

const STATEMENTS = ROLLUPS.map(withDue);

function dueParams(partitions: readonly DuePartition[]): SelectParams {
  const projects = [...ofProjects(partitions).values()];
  return {
    ...daysOf(partitions),
    due_projects: projects.map(([first]) => first?.project_id),
    due_first_days: projects.map((own) => daysOf(own).first_day),
    due_last_days: projects.map((own) => daysOf(own).last_day),
    due_without_bots: projects.map(([first]) => (first?.without_bots === true ? 1 : 0)),
  };
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
    [...last.values()].map(({ state, ...partition }) => ({
      ...newState(partition),
      ...state,
      clean_through: partition.day,
      without_bots: partition.without_bots,
    })),
  );
}
