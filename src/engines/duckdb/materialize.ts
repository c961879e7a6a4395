/**
 * Rollups of partitions that are over. One transaction makes those of a partition and moves `clean_through` over it, in the order of days: `seen_before`
 * of a partition depends on all earlier ones. A late event undoes that in its own transaction (mark-dirty.ts), so a partition is clean or it is not.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { MARGINS } from "../../materialize/margins.ts";
import { ROLLUPS } from "../../materialize/rollups.ts";
import type { Partition } from "../port.ts";
import type { Database } from "./database.ts";
import { readRows } from "./rows.ts";
import { toStatement } from "./statement.ts";

const DIRTY = `SELECT s.project_id AS project_id, s.day AS day
FROM (SELECT DISTINCT project_id, day FROM sessions WHERE day <= {last_day:Date}) AS s
LEFT JOIN rollup_state AS r ON r.project_id = s.project_id
WHERE r.project_id IS NULL
    OR s.day > r.clean_through AND (epoch_ms(r.dirty_at) <= {quiet_since:Int64} OR epoch_ms(r.dirty_since) <= {waiting_since:Int64})
ORDER BY s.day, s.project_id`;

/** Partitions that are over and dirty, oldest first. Those of a project that still gets late events wait, for a bounded time. */
export async function listDirty(database: Database, nowMs: number): Promise<Partition[]> {
  const params = {
    last_day: dayOf(nowMs - MARGINS.dayIsOverMs - DAY_MS),
    quiet_since: nowMs - MARGINS.quietMs,
    waiting_since: nowMs - MARGINS.longestWaitMs,
  };
  return [...(await database.select<Partition>(DIRTY, { params })).rows];
}

/** In the order of days. Resolves with those that are clean now. */
export async function materializePartitions(
  database: Database,
  partitions: readonly Partition[],
  signal: AbortSignal,
): Promise<Partition[]> {
  const done: Partition[] = [];
  for (const partition of partitions.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    signal.throwIfAborted();
    if (await materializePartition(database, partition)) done.push(partition);
  }
  return done;
}

/** False when an earlier partition of the project is dirty: that one comes first. */
export function materializePartition(database: Database, partition: Partition): Promise<boolean> {
  return database.write(async (connection) => {
    const params = { project: partition.project_id, day: partition.day };
    if (!(await isNext(connection, params))) return false;
    for (const sql of ROLLUPS) await run(connection, `INSERT INTO rollups\n${sql}`, params);
    await run(connection, MOVE, params);
    return true;
  });
}

interface Params {
  readonly project: string;
  readonly day: string;
}

const BEFORE_ALL = "DATE '1969-12-31'";
const NEVER = "make_timestamp_ms(0)";
const MOVE = `INSERT INTO rollup_state (project_id, clean_through, removed_before, dirty_at, dirty_since)
VALUES ({project:String}, {day:Date}, ${BEFORE_ALL}, ${NEVER}, ${NEVER})
ON CONFLICT (project_id) DO UPDATE SET clean_through = excluded.clean_through`;

const FIRST_DIRTY = `SELECT min(s.day) = {day:Date} AS is_next FROM sessions AS s
WHERE s.project_id = {project:String} AND s.day <= {day:Date}
    AND s.day > coalesce((SELECT clean_through FROM rollup_state WHERE project_id = {project:String}), ${BEFORE_ALL})`;

async function isNext(connection: DuckDBConnection, params: Params): Promise<boolean> {
  const { sql, values } = toStatement(FIRST_DIRTY, { ...params });
  const [row] = readRows(await connection.runAndReadAll(sql, values));
  return row?.is_next === true;
}

async function run(connection: DuckDBConnection, text: string, params: Params): Promise<void> {
  const { sql, values } = toStatement(text, { ...params });
  await connection.run(sql, values);
}
