/** Late events: their partitions and all later ones of the project become dirty, and lose their rollups in the same transaction. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import type { TouchedSession } from "./merge-sessions.ts";
import { readRows } from "./rows.ts";

const MARK = `INSERT INTO rollup_state VALUES ($project, DATE '1969-12-31', DATE '1969-12-31', make_timestamp_ms(CAST($now_ms AS BIGINT)), make_timestamp_ms(CAST($now_ms AS BIGINT)))
ON CONFLICT (project_id) DO UPDATE SET
    dirty_since = if(clean_through > CAST($before AS DATE), make_timestamp_ms(CAST($now_ms AS BIGINT)), dirty_since),
    clean_through = least(clean_through, CAST($before AS DATE)),
    removed_before = least(removed_before, CAST($day AS DATE)),
    dirty_at = make_timestamp_ms(CAST($now_ms AS BIGINT))`;

/**
 * A partition that is not clean has nothing to lose: today's, as a rule. What is clean is asked of the table and not of the clock, which may have been
 * set back since. Of days that are over the time is noted, so that a project waits until its late events have come.
 */
export async function markDirty(
  connection: DuckDBConnection,
  touched: readonly TouchedSession[],
  nowMs: number,
): Promise<void> {
  const oldest = new Map<string, number>();
  for (const { projectId, dayNumber } of touched)
    oldest.set(projectId, Math.min(dayNumber, oldest.get(projectId) ?? dayNumber));
  const clean = await readClean(connection);
  const today = Math.floor(nowMs / DAY_MS);
  for (const [project, dayNumber] of oldest) {
    const day = dayOf(dayNumber * DAY_MS);
    if (dayNumber >= today && day > (clean.get(project) ?? "")) continue;
    const before = dayOf((dayNumber - 1) * DAY_MS);
    await connection.run(MARK, { project, day, before, now_ms: BigInt(nowMs) });
    const where = "project_id = $project AND day >= CAST($day AS DATE)";
    await connection.run(`DELETE FROM rollups WHERE ${where}`, { project, day });
  }
}

async function readClean(connection: DuckDBConnection): Promise<Map<string, string>> {
  const found = await connection.runAndReadAll("SELECT project_id, clean_through FROM rollup_state");
  const rows = readRows(found) as { project_id: string; clean_through: string }[];
  return new Map(rows.map(({ project_id, clean_through }) => [project_id, clean_through]));
}
