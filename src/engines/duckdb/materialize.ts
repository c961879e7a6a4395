/**
 * Materializes rollups of finished partitions, in the order of days: `seen_before` of a partition depends on all
 * earlier ones. The transaction that completes the rollups of a partition moves `clean_through` to its day. A late
 * event reverts that in its own transaction (mark-dirty.ts), so that a partition is always either clean or dirty.
 *
 * All rollups of a project are made of the same sessions: of all, or of those of people. When the project's setting
 * changes, the first partition removes the rollups of all, and they are made again.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { MARGINS } from "../../materialize/margins.ts";
import { leftOut, ROLLUPS } from "../../materialize/rollups.ts";
import type { DuePartition, Partition, SelectParams } from "../port.ts";
import type { Database } from "./database.ts";
import { countStale, materializeProfiles, mergeStale, removeProfiles, removeProfilesFrom } from "./profiles.ts";
import { BEFORE_ALL, readStates, replaceState } from "./rollup-state.ts";
import { readRows } from "./rows.ts";
import { toStatement } from "./statement.ts";

const DIRTY = `SELECT s.project_id AS project_id, s.day AS day, s.without_bots AS without_bots
FROM
(
    SELECT DISTINCT project_id, day, project_id IN {without_bots:Array(String)} AS without_bots
    FROM sessions WHERE day <= {last_day:Date}
) AS s
LEFT JOIN rollup_state AS r ON r.project_id = s.project_id
WHERE r.project_id IS NULL
    OR (s.day > r.clean_through OR s.without_bots != r.without_bots)
        AND (epoch_ms(r.dirty_at) <= {quiet_since:Int64} OR epoch_ms(r.dirty_since) <= {waiting_since:Int64})
ORDER BY
    coalesce(s.without_bots != r.without_bots AND r.clean_through > DATE '${BEFORE_ALL}', false),
    s.day,
    s.project_id`;

/**
 * Dirty partitions of finished days, oldest first. Partitions of a project with recent late events wait, for a bounded
 * time. Projects come last whose reports have changed between counting and leaving out bots.
 */
export async function listDirty(
  database: Database,
  nowMs: number,
  withoutBots: readonly string[],
): Promise<DuePartition[]> {
  const params = {
    without_bots: withoutBots,
    last_day: dayOf(nowMs - MARGINS.dayIsOverMs - DAY_MS),
    quiet_since: nowMs - MARGINS.quietMs,
    waiting_since: nowMs - MARGINS.longestWaitMs,
  };
  return [...(await database.select<DuePartition>(DIRTY, { params })).rows];
}

/** Materializes in the order of days. Resolves with the partitions that are now clean. */
export async function materialize(
  database: Database,
  partitions: readonly DuePartition[],
  signal: AbortSignal,
): Promise<Partition[]> {
  const done: Partition[] = [];
  for (const partition of partitions.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    signal.throwIfAborted();
    const { project_id, day } = partition;
    if (await materializePartition(database, partition)) done.push({ project_id, day });
  }
  return done;
}

/** Rows of a dimension have zeros in the same columns: sorted, rollups took 11.0 instead of 17.6 MB. */
const IN_ORDER = "ORDER BY dimension, value";

/** Rows of `sessions` per slice: 20,000 take 0.4 s, and the writer never waits longer than one slice. */
const SLICE_SESSIONS = 20_000;

/**
 * False when an earlier partition of the project is dirty, or when a late event arrived or a rebuild began meanwhile.
 * The partition stays dirty until its last slice is written, so that no report reads its rollups.
 */
export async function materializePartition(
  database: Database,
  partition: DuePartition,
  sliceSessions = SLICE_SESSIONS,
): Promise<boolean> {
  await mergeStale(database, partition.project_id);
  const start = await database.write((connection) => beginPartition(connection, partition));
  if (start === undefined) return false;
  const slices = Math.max(1, Math.ceil(start.sessions / sliceSessions));
  let rows = 0;
  for (let slice = 0; slice < slices; slice += 1) {
    const { project_id: project, day, without_bots } = partition;
    const params = { project, day, left_out: leftOut(without_bots), slice, slices };
    const isClean = await database.write(async (connection) => {
      for (const sql of ROLLUPS) rows += await run(connection, `INSERT INTO rollups\n${sql}\n${IN_ORDER}`, params);
      if (start.wallets > 0)
        await materializeProfiles(connection, { project, first_day: day, last_day: day, slice, slices });
      if (slice < slices - 1) return true;
      const now = await readState(connection, partition);
      if (now.rollups !== rows || now.dirty_ms !== start.dirty_ms) return false;
      // A rebuild has removed the rollups of earlier partitions.
      if (now.first_dirty !== partition.day) return false;
      await moveClean(connection, partition);
      return true;
    });
    if (!isClean) return false;
  }
  return true;
}

/** Records that the partition and all earlier ones are clean. */
async function moveClean(connection: DuckDBConnection, { project_id, day, without_bots }: DuePartition): Promise<void> {
  const state = (await readStates(connection, [project_id])).get(project_id);
  const unknown = { project_id, removed_before: BEFORE_ALL, dirty_ms: 0, since_ms: 0 };
  await replaceState(connection, { ...unknown, ...state, clean_through: day, without_bots });
}

interface PartitionState {
  /** The project's first dirty day that has sessions. */
  readonly first_dirty: string | null;
  readonly sessions: number;
  /** Those of them with a wallet. */
  readonly wallets: number;
  /** Partitions of the project up to this one whose sessions are incomplete. */
  readonly outdated: number;
  /** Existing rollup rows of the partition. A late event removes them. */
  readonly rollups: number;
  /** When the last late event arrived. */
  readonly dirty_ms: number | null;
}

const STATE = `WITH
    state AS
    (
        SELECT clean_through, epoch_ms(dirty_at) AS dirty_ms FROM rollup_state WHERE project_id = {project:String}
    ),
    dirty AS
    (
        SELECT s.day AS day, notEmpty(s.addresses) AS has_wallet FROM sessions AS s
        WHERE s.project_id = {project:String} AND s.day <= {day:Date}
            AND s.day > coalesce((SELECT clean_through FROM state), DATE '${BEFORE_ALL}')
    )
SELECT
    (SELECT min(day) FROM dirty) AS first_dirty,
    (SELECT count(*) FROM dirty WHERE day = {day:Date}) AS sessions,
    (SELECT count(*) FROM dirty WHERE day = {day:Date} AND has_wallet) AS wallets,
    (SELECT count(*) FROM outdated_sessions WHERE project_id = {project:String} AND day <= {day:Date}) AS outdated,
    (SELECT count(*) FROM rollups WHERE project_id = {project:String} AND day = {day:Date}) AS rollups,
    (SELECT dirty_ms FROM state) AS dirty_ms`;

/** Undefined when an earlier partition or its sessions must come first. Removes rows of an interrupted run. */
async function beginPartition(
  connection: DuckDBConnection,
  partition: DuePartition,
): Promise<PartitionState | undefined> {
  await changeSessions(connection, partition);
  const state = await readState(connection, partition);
  if (state.first_dirty !== partition.day || state.outdated > 0) return undefined;
  if ((await countStale(connection, partition.project_id)) > 0) return undefined;
  const params = { project: partition.project_id, day: partition.day };
  if (state.rollups > 0)
    await run(connection, "DELETE FROM rollups WHERE project_id = {project:String} AND day = {day:Date}", params);
  await removeProfilesFrom(connection, partition.project_id, partition.day);
  return state;
}

/** Removes all rollups of the project if they are made of other sessions. */
async function changeSessions(connection: DuckDBConnection, { project_id, without_bots }: DuePartition): Promise<void> {
  const state = (await readStates(connection, [project_id])).get(project_id);
  if (state === undefined || state.without_bots === without_bots) return;
  await run(connection, "DELETE FROM rollups WHERE project_id = {project:String}", { project: project_id });
  await removeProfiles(connection, project_id);
  await replaceState(connection, { ...state, clean_through: BEFORE_ALL, without_bots });
}

async function readState(connection: DuckDBConnection, { project_id, day }: Partition): Promise<PartitionState> {
  const { sql, values } = toStatement(STATE, { project: project_id, day });
  const [row] = readRows(await connection.runAndReadAll(sql, values));
  return row as unknown as PartitionState;
}

async function run(connection: DuckDBConnection, text: string, params: SelectParams): Promise<number> {
  const { sql, values } = toStatement(text, params);
  return (await connection.run(sql, values)).rowsChanged;
}
