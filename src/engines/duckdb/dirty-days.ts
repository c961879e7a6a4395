/** Which partitions can be materialized now. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { DuePartition, Partition } from "../maintenance.ts";
import { daysOf } from "./partition-groups.ts";
import { removeProfiles } from "./profiles.ts";
import { BEFORE_ALL, type RollupState, readStates, replaceStates } from "./rollup-state.ts";
import { readRows } from "./rows.ts";
import { removeRunningDays } from "./running-days.ts";
import { toStatement } from "./statement.ts";

export interface ReadyPartition extends DuePartition {
  readonly sessions: number;
  /** Of the sessions: a late event adds to them. */
  readonly events: number;
  /** Those of them with a wallet. */
  readonly wallets: number;
  /** Existing rollup rows. A late event removes them. */
  readonly rollups: number;
  /** Of its project; undefined if it never had rollups. */
  readonly state: RollupState | undefined;
}

type DirtyDay = Partition & Pick<ReadyPartition, "sessions" | "events" | "wallets" | "rollups">;

const DIRTY_DAYS = `SELECT
    project_id, day, sum(n_sessions) AS sessions, sum(n_events) AS events, sum(n_wallets) AS wallets,
    sum(n_rollups) AS rollups
FROM
(
    SELECT
        project_id, day, count(*) AS n_sessions, sum(events) AS n_events, countIf(notEmpty(addresses)) AS n_wallets,
        0 AS n_rollups
    FROM sessions
    WHERE project_id IN {projects:Array(String)} AND day > {clean_through:Date} AND day <= {last_day:Date}
    GROUP BY project_id, day
    UNION ALL
    SELECT project_id, day, 0 AS n_sessions, 0 AS n_events, 0 AS n_wallets, count(*) AS n_rollups FROM rollups
    WHERE project_id IN {projects:Array(String)} AND day > {clean_through:Date} AND day <= {last_day:Date}
    GROUP BY project_id, day
)
GROUP BY project_id, day
HAVING sum(n_sessions) > 0
ORDER BY day`;

/** Partitions whose sessions are incomplete. */
const OUTDATED = `SELECT project_id, min(day) AS day FROM outdated_sessions
WHERE project_id IN {projects:Array(String)} GROUP BY project_id`;

/**
 * Those of the partitions before which no other one of their project is dirty, and none has incomplete sessions, in the
 * order of days.
 */
export async function findReady(
  connection: DuckDBConnection,
  partitions: readonly DuePartition[],
): Promise<ReadyPartition[]> {
  const projects = [...new Set(partitions.map(({ project_id }) => project_id))];
  const states = await readStates(connection, projects);
  const clean_through = projects.map((id) => states.get(id)?.clean_through ?? BEFORE_ALL).toSorted()[0] ?? BEFORE_ALL;
  const params = { projects, clean_through, last_day: daysOf(partitions).last_day };
  const days = (await read<DirtyDay>(connection, DIRTY_DAYS, params)).filter(
    ({ project_id, day }) => day > (states.get(project_id)?.clean_through ?? BEFORE_ALL),
  );
  const dirty = Map.groupBy(days, ({ project_id }) => project_id);
  const outdated = new Map(
    (await read<Partition>(connection, OUTDATED, { projects })).map(({ project_id, day }) => [project_id, day]),
  );
  const ready: ReadyPartition[] = [];
  for (const partition of partitions.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    const { project_id, day } = partition;
    const [first] = dirty.get(project_id) ?? [];
    if (first?.day !== day || day >= (outdated.get(project_id) ?? AFTER_ALL)) continue;
    dirty.get(project_id)?.shift();
    ready.push({ ...partition, ...first, state: states.get(project_id) });
  }
  return ready;
}

const AFTER_ALL = "9999-12-31";

/** Removes all rollups and profiles of projects whose rollups are made of other sessions. */
export async function changeSessions(connection: DuckDBConnection, partitions: readonly DuePartition[]): Promise<void> {
  const wanted = new Map(partitions.map(({ project_id, without_bots }) => [project_id, without_bots]));
  const states = await readStates(connection, [...wanted.keys()]);
  const changed = [...states.values()].filter((state) => state.without_bots !== wanted.get(state.project_id));
  if (changed.length === 0) return;
  const params = { projects: changed.map(({ project_id }) => project_id) };
  await removeRunningDays(connection, params.projects);
  const { sql, values } = toStatement("DELETE FROM rollups WHERE project_id IN {projects:Array(String)}", params);
  await connection.run(sql, values);
  for (const { project_id } of changed) await removeProfiles(connection, project_id);
  await replaceStates(
    connection,
    changed.map((state) => ({ ...state, clean_through: BEFORE_ALL, without_bots: !state.without_bots })),
  );
}

async function read<T>(connection: DuckDBConnection, text: string, params: Record<string, unknown>): Promise<T[]> {
  const { sql, values } = toStatement(text, params);
  return readRows(await connection.runAndReadAll(sql, values)) as unknown as T[];
}
