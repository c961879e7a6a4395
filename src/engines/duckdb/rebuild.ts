/**
 * Rebuilds all derived data from the events while the service runs, even if derived tables were dropped. Meanwhile a
 * report is exact or fails:
 *
 * 1. Missing `rollups`, `rollup_state`, `outdated_sessions` and tables of profiles are created empty: then no partition is clean, and
 * reports read sessions.
 * 2. Sessions are rebuilt, a slice of a large partition or several small ones per transaction. If their table is missing,
 * they are built in a new table that is renamed when it is complete. Until then reports fail and the writer waits, so that
 * it lacks no event.
 * 3. The rollups and profiles of every project are removed, and its partitions are dirty: the worker materializes them.
 * 4. Events of an older release are written anew (rewrite-events.ts). It takes the longest, and nothing waits for it.
 *
 * An interrupted run is repeated from the start.
 */
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { sessionsSql } from "../../materialize/sessions.ts";
import type { Database } from "./database.ts";
import { tableSql } from "./migrate.ts";
import { groupValues, inGroup, joinSmall, partsOf, type Sized } from "./partition-groups.ts";
import { PROFILE_TABLES, removeProfiles } from "./profiles.ts";
import { countOldSlices, rewriteEvents } from "./rewrite-events.ts";
import { BEFORE_ALL, readStates, replaceStates } from "./rollup-state.ts";
import { readRows } from "./rows.ts";
import { removeRunningDays } from "./running-days.ts";

/** Events whose sessions are rebuilt in one transaction: about 0.3 s. */
const SLICE_ROWS = 100_000;
/** Rollups that are removed in one transaction: about 0.1 s. */
const REMOVED_ROLLUPS = 1_000_000;
const NEW_SESSIONS = "sessions_rebuilt";

export async function rebuild(
  database: Database,
  onProgress: (done: number, total: number) => void,
  signal: AbortSignal,
  sliceRows = SLICE_ROWS,
): Promise<void> {
  const table = await database.write(createMissing);
  const slices = await countOldSlices(database);
  const partitions = await listPartitions(database, table);
  const total = slices + partitions.length;
  let done = 0;
  for (const group of joinSmall(partitions, eventsOf, sliceRows)) {
    onProgress(done, total);
    await rebuildSessions(database, table, group, signal, sliceRows);
    done += group.length;
  }
  await database.write(async (connection) => {
    if (table !== "sessions") await connection.run(`ALTER TABLE ${table} RENAME TO sessions`);
  });
  for (const group of joinSmall(await countRollups(database, partitions), ({ rows }) => rows, REMOVED_ROLLUPS)) {
    signal.throwIfAborted();
    const projects = group.map(({ project }) => project);
    await database.write((connection) => removeRollups(connection, projects));
  }
  await rewriteEvents(database, slices, (moved) => onProgress(done + moved, total), signal);
  onProgress(partitions.length, partitions.length);
}

const eventsOf = ({ events }: Sized) => events;

/** Resolves with the table in which sessions are rebuilt. */
async function createMissing(connection: DuckDBConnection): Promise<string> {
  const missing = async (name: string) => {
    const sql = "SELECT 1 FROM duckdb_tables() WHERE table_name = $name AND NOT temporary";
    return (await connection.runAndReadAll(sql, { name })).currentRowCount === 0;
  };
  for (const table of ["rollup_state", "outdated_sessions", "running_days", "replaced_sessions"])
    if (await missing(table)) await connection.run(tableSql(table));
  for (const table of ["rollups", ...PROFILE_TABLES]) {
    if (!(await missing(table))) continue;
    await connection.run(tableSql(table));
    // Without a row no partition of a project is clean. `removed_before` is lost as well, which is safe: the sessions
    // of removed partitions no longer exist.
    await connection.run("DELETE FROM rollup_state");
    await connection.run("DELETE FROM running_days");
  }
  await connection.run(`DROP TABLE IF EXISTS ${NEW_SESSIONS}`);
  if (!(await missing("sessions"))) return "sessions";
  await connection.run(tableSql("sessions", NEW_SESSIONS));
  return NEW_SESSIONS;
}

/**
 * Rebuilds the sessions that a migration removed, the newest first. Until a partition is complete, reports compute its
 * sessions from its events (relations.ts).
 */
export async function rebuildOutdated(database: Database, signal: AbortSignal): Promise<void> {
  const { rows } = await database.select<Sized>(OUTDATED, { signal });
  for (const group of joinSmall(rows, eventsOf, SLICE_ROWS))
    await rebuildSessions(database, "sessions", group, signal, SLICE_ROWS);
}

const OUTDATED = `SELECT o.project_id AS project_id, o.day AS day, count(e.day) AS events
FROM outdated_sessions AS o LEFT JOIN events AS e ON e.project_id = o.project_id AND e.day = o.day
GROUP BY o.project_id, o.day
ORDER BY o.day DESC, o.project_id`;

/** Includes partitions with sessions but without events: there should be none. */
async function listPartitions(database: Database, sessions: string): Promise<readonly Sized[]> {
  return database.alone(async (connection) => {
    const found = await connection.runAndReadAll(
      `SELECT project_id, day, sum(n) AS events
       FROM (SELECT project_id, day, count(*) AS n FROM events GROUP BY project_id, day
             UNION ALL SELECT DISTINCT project_id, day, 0 FROM ${sessions})
       GROUP BY project_id, day ORDER BY day, project_id`,
    );
    return readRows(found) as unknown as Sized[];
  });
}

/** A group of small partitions at once, a large one in parts. */
async function rebuildSessions(
  database: Database,
  table: string,
  group: readonly Sized[],
  signal: AbortSignal,
  sliceRows: number,
): Promise<void> {
  const parts = partsOf(group, sliceRows);
  const values = groupValues(group);
  const projects = [...new Set(group.map(({ project_id }) => project_id))];
  for (let part = 0; part < parts; part += 1) {
    signal.throwIfAborted();
    const where = `WHERE ${inGroup()}${parts === 1 ? "" : ` AND session % ${parts} = ${part}`}`;
    await database.write(async (connection) => {
      // A session may get another time of receipt, by which reports know whether it is rolled up.
      await removeRunningDays(connection, projects);
      await connection.run(`DELETE FROM ${table} ${where}`, values);
      await connection.run(
        `INSERT INTO ${table}
         WITH some_events AS (SELECT *, rowid FROM events ${where})
         SELECT * FROM (${sessionsSql({ events: "some_events" })})`,
        values,
      );
      if (part === parts - 1) await connection.run(`DELETE FROM outdated_sessions WHERE ${inGroup()}`, values);
    });
  }
}

/** The projects of the partitions, each with the number of its rollups. */
async function countRollups(
  database: Database,
  partitions: readonly Sized[],
): Promise<readonly { project: string; rows: number }[]> {
  const sql = "SELECT project_id, count(*) AS rows FROM rollups GROUP BY project_id";
  const { rows } = await database.select<{ project_id: string; rows: number }>(sql);
  const counts = new Map(rows.map((row) => [row.project_id, row.rows]));
  const projects = new Set(partitions.map(({ project_id }) => project_id));
  return [...projects].map((project) => ({ project, rows: counts.get(project) ?? 0 }));
}

async function removeRollups(connection: DuckDBConnection, projects: readonly string[]): Promise<void> {
  const values = { projects: listValue([...projects]) };
  await removeRunningDays(connection, projects);
  await connection.run("DELETE FROM rollups WHERE project_id IN CAST($projects AS VARCHAR[])", values);
  for (const project of projects) await removeProfiles(connection, project);
  const states = [...(await readStates(connection, projects)).values()];
  await replaceStates(
    connection,
    // Another `dirty_ms`: a worker may just be making rollups of the sessions of before.
    states.map((state) => ({ ...state, clean_through: BEFORE_ALL, dirty_ms: state.dirty_ms - 1 })),
  );
}
