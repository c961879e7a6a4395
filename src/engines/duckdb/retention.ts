/**
 * Removes expired partitions and expired parked events in slices. Each slice is one transaction, followed by a
 * checkpoint. Between two slices the writer runs: while 720,000 events of one project of five were removed from 3.6
 * million, batches of 500 took at most 0.9 s on a busy machine, as long as before. No report shows a day that is
 * removed here, so none reads a half removed day.
 *
 * The file keeps its size. Space is reused when a whole row group is removed (24,576 events in the order of arrival,
 * 122,880 in a file of an older release), and when the writer has nothing to do: then it merges partly removed ones, a
 * few at a time (checkpoint.ts). Restoring a backup creates a file without gaps.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { DAY_MS, dayOf, latestDay } from "../../lib/time.ts";
import type { KeptDays } from "../maintenance.ts";
import { runCheckpoint } from "./checkpoint.ts";
import type { Database } from "./database.ts";
import { groupValues, inGroup, joinSmall, partsOf, type Sized } from "./partition-groups.ts";
import { removeProfileDay } from "./profiles.ts";
import { readStates, replaceStates } from "./rollup-state.ts";

/** All tables with rows of a partition: a late event or an interrupted run may leave rows in only one of them. */
const TABLES = [
  "events",
  "sessions",
  "replaced_sessions",
  "outdated_sessions",
  "rollups",
  "running_days",
  "ledger",
] as const;
/** Their rows have a session, by which a large partition is split. */
const DIVISIBLE: readonly string[] = ["events", "sessions"];
/** Events per slice. */
const SLICE_ROWS = 50_000;

interface Slice {
  readonly group: readonly Sized[];
  /** Removes the sessions with `session % parts = part`. */
  readonly parts: number;
  readonly part: number;
}

/** Resolves with the number of removed events. */
export async function removeBefore(
  database: Database,
  limits: readonly KeptDays[],
  signal: AbortSignal,
  sliceRows = SLICE_ROWS,
): Promise<number> {
  if (limits.length === 0) return 0;
  const expired = await listExpired(database, FIND_EXPIRED, limits, signal);
  const removed = await removeSlices(database, toSlices(expired, sliceRows), removeEvents, signal);
  const parked = await listExpired(database, FIND_EXPIRED_PARKED, limits, signal);
  await removeSlices(database, toSlices(parked, sliceRows), removeParked, signal);
  return removed;
}

/** Resolves with the number of removed parked events. */
export async function removeParkedBefore(database: Database, day: string, signal: AbortSignal): Promise<number> {
  const options = { params: { before: day }, signal };
  const { rows } = await database.select<Sized>(FIND_OLD_PARKED, options);
  return removeSlices(database, toSlices(rows, SLICE_ROWS), removeParked, signal);
}

const FIND_EXPIRED = `SELECT project_id, day, sum(n) AS events
FROM (${TABLES.map(
  (table) => `SELECT project_id, day, ${table === "events" ? "count(*)" : "0"} AS n
    FROM ${table} WHERE project_id IN {projects:Array(String)} AND day < {before:Date} GROUP BY project_id, day`,
).join("\n    UNION ALL\n    ")}
    UNION ALL
    SELECT project_id, seen_day AS day, 0 AS n
    FROM profile_touches WHERE project_id IN {projects:Array(String)} AND seen_day < {before:Date} GROUP BY ALL)
GROUP BY project_id, day
ORDER BY day, project_id`;

const PARKED = "FROM (SELECT project_id, CAST(received_at AS DATE) AS day FROM parked_events)";
const FIND_EXPIRED_PARKED = `SELECT project_id, day, count(*) AS events ${PARKED}
WHERE project_id IN {projects:Array(String)} AND day < {before:Date} GROUP BY project_id, day ORDER BY day, project_id`;
const FIND_OLD_PARKED = `SELECT project_id, day, count(*) AS events ${PARKED}
WHERE day < {before:Date} GROUP BY project_id, day ORDER BY day, project_id`;

async function listExpired(
  database: Database,
  sql: string,
  limits: readonly KeptDays[],
  signal: AbortSignal,
): Promise<Sized[]> {
  const firstDays = new Map(limits.map(({ projectId, firstDay }) => [projectId, firstDay]));
  const before = [...firstDays.values()].toSorted().at(-1) ?? "";
  const { rows } = await database.select<Sized>(sql, { params: { projects: [...firstDays.keys()], before }, signal });
  return rows.filter(({ project_id, day }) => day < (firstDays.get(project_id) ?? ""));
}

/** Groups small partitions and splits large ones. */
function toSlices(expired: readonly Sized[], sliceRows: number): Slice[] {
  return joinSmall(expired, ({ events }) => events, sliceRows).flatMap((group) => {
    const parts = partsOf(group, sliceRows);
    return Array.from({ length: parts }, (_, part) => ({ group, parts, part }));
  });
}

/** Removal takes at most half of the time; the other half belongs to the writer. */
async function removeSlices(
  database: Database,
  slices: readonly Slice[],
  remove: (connection: DuckDBConnection, slice: Slice) => Promise<number>,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const slice of slices) {
    signal.throwIfAborted();
    const startedAt = performance.now();
    removed += await database.write((connection) => remove(connection, slice));
    await database.alone((connection) => runCheckpoint(connection, database.metadata));
    await delay(performance.now() - startedAt, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  return removed;
}

/**
 * Also moves `removed_before`: later rollups count visitors by a `seen_before` that lies in removed days. And `dirty_ms`:
 * a worker may just be making profiles of the sessions of before, and a part of a day that others were removed of does
 * not move `removed_before`.
 */
async function removeEvents(connection: DuckDBConnection, { group, parts, part }: Slice): Promise<number> {
  const values = groupValues(group);
  let removed = 0;
  for (const table of TABLES) {
    const inPart = DIVISIBLE.includes(table) && parts > 1 ? ` AND session % ${parts} = ${part}` : "";
    const { rowsChanged } = await connection.run(`DELETE FROM ${table} WHERE ${inGroup()}${inPart}`, values);
    if (table === "events") removed = rowsChanged;
  }
  for (const [day, own] of Map.groupBy(group, (partition) => partition.day))
    await removeProfileDay(
      connection,
      own.map(({ project_id }) => project_id),
      day,
    );
  // In the order of days, so that the last one of a project counts.
  const lastDays = new Map(group.map(({ project_id, day }) => [project_id, day]));
  const states = [...(await readStates(connection, [...lastDays.keys()])).values()];
  await replaceStates(
    connection,
    states.map((state) => {
      const next = dayOf(Date.parse(lastDays.get(state.project_id) ?? "") + DAY_MS);
      return { ...state, removed_before: latestDay([state.removed_before, next]), dirty_ms: state.dirty_ms - 1 };
    }),
  );
  return removed;
}

async function removeParked(connection: DuckDBConnection, { group, part }: Slice): Promise<number> {
  // Texts are stored in pieces of a bounded size, so that a whole day fits one slice.
  if (part > 0) return 0;
  const values = groupValues(group);
  const where = `WHERE ${inGroup("CAST(received_at AS DATE)")}`;
  await connection.run(`DELETE FROM parked_raw ${where}`, values);
  return (await connection.run(`DELETE FROM parked_events ${where}`, values)).rowsChanged;
}
