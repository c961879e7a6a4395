/** Late events: their partitions and all later ones of the project become dirty, and lose their rollups in the same transaction. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import type { TouchedSession } from "./merge-sessions.ts";

const MARK = `INSERT INTO rollup_state VALUES ($project, DATE '1969-12-31', DATE '1969-12-31', make_timestamp_ms(CAST($now_ms AS BIGINT)), make_timestamp_ms(CAST($now_ms AS BIGINT)))
ON CONFLICT (project_id) DO UPDATE SET
    dirty_since = if(clean_through > CAST($before AS DATE), make_timestamp_ms(CAST($now_ms AS BIGINT)), dirty_since),
    clean_through = least(clean_through, CAST($before AS DATE)),
    removed_before = least(removed_before, CAST($day AS DATE)),
    dirty_at = make_timestamp_ms(CAST($now_ms AS BIGINT))`;

/** Partitions of today and later are dirty anyway, and cost nothing here. */
export async function markDirty(
  connection: DuckDBConnection,
  touched: readonly TouchedSession[],
  nowMs: number,
): Promise<void> {
  const today = Math.floor(nowMs / DAY_MS);
  const oldest = new Map<string, number>();
  for (const { projectId, dayNumber } of touched)
    if (dayNumber < today) oldest.set(projectId, Math.min(dayNumber, oldest.get(projectId) ?? dayNumber));
  for (const [project, dayNumber] of oldest) {
    const day = dayOf(dayNumber * DAY_MS);
    const before = dayOf((dayNumber - 1) * DAY_MS);
    await connection.run(MARK, { project, day, before, now_ms: BigInt(nowMs) });
    await connection.run("DELETE FROM rollups WHERE project_id = $project AND day >= CAST($day AS DATE)", {
      project,
      day,
    });
  }
}
