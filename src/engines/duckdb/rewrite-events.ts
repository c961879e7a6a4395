/**
 * Writes the events of an older release anew, whose row groups are larger than those of today (open-file.ts): the oldest
 * rows move to the end, as many at once as a row group has, until no large one is left. An interrupted run goes on.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { runCheckpoint } from "./checkpoint.ts";
import type { Database } from "./database.ts";
import { ROW_GROUP_ROWS } from "./open-file.ts";
import { IS_OWN_ROW } from "./own-rows.ts";
import { readRows } from "./rows.ts";

/** A checkpoint gives the room of moved rows back: a file does not grow by more than these. */
const SLICES_A_CHECKPOINT = 10;

/** Up to the last large row group. Each value of a column is in one segment of its row group. */
const OLD_ROWS = `WITH groups AS (
  SELECT row_group_id AS id, sum(count) AS rows FROM pragma_storage_info('events')
  WHERE column_name = 'day' AND segment_type != 'VALIDITY' GROUP BY id)
SELECT coalesce(sum(rows), 0) AS n FROM groups
WHERE id <= (SELECT max(id) FROM groups WHERE rows > ${ROW_GROUP_ROWS})`;

/** The number of slices that are to be moved. */
export async function countOldSlices(database: Database): Promise<number> {
  const { rows } = await database.select<{ n: number }>(OLD_ROWS);
  return Math.ceil((rows[0]?.n ?? 0) / ROW_GROUP_ROWS);
}

export async function rewriteEvents(
  database: Database,
  slices: number,
  onMoved: (slices: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let moved = 0; moved < slices; moved += 1) {
    signal.throwIfAborted();
    onMoved(moved);
    await database.write(async (connection) => {
      await moveOldest(connection);
      // Kept answers are still right.
      return { changed: [] };
    });
    if (moved % SLICES_A_CHECKPOINT === SLICES_A_CHECKPOINT - 1 || moved === slices - 1)
      await database.alone((connection) => runCheckpoint(connection, database.metadata));
  }
}

async function moveOldest(connection: DuckDBConnection): Promise<void> {
  const found = await connection.runAndReadAll("SELECT min(rowid) AS first FROM events");
  const [{ first } = { first: null }] = readRows(found) as { first: number | null }[];
  if (first === null) return;
  const oldest = `rowid < ${first + ROW_GROUP_ROWS} AND NOT (${IS_OWN_ROW})`;
  await connection.run(`INSERT INTO events SELECT * FROM events WHERE ${oldest}`);
  await connection.run(`DELETE FROM events WHERE ${oldest}`);
}
