/** Late events: their partitions and all later ones of the project become dirty, and lose their rollups in the same transaction. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import type { TouchedSession } from "./merge-sessions.ts";
import { BEFORE_ALL, readStates, replaceState } from "./rollup-state.ts";

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
  if (oldest.size === 0) return;
  const states = await readStates(connection, [...oldest.keys()]);
  const today = Math.floor(nowMs / DAY_MS);
  for (const [project_id, dayNumber] of oldest) {
    const day = dayOf(dayNumber * DAY_MS);
    const state = states.get(project_id);
    if (dayNumber >= today && day > (state?.clean_through ?? "")) continue;
    await replaceState(connection, {
      project_id,
      clean_through: earliest(state?.clean_through ?? BEFORE_ALL, dayOf((dayNumber - 1) * DAY_MS)),
      removed_before: earliest(state?.removed_before ?? BEFORE_ALL, day),
      dirty_ms: nowMs,
      since_ms: state === undefined || state.clean_through >= day ? nowMs : state.since_ms,
    });
    await connection.run("DELETE FROM rollups WHERE project_id = $project_id AND day >= CAST($day AS DATE)", {
      project_id,
      day,
    });
  }
}

function earliest(one: string, other: string): string {
  return [one, other].toSorted()[0] ?? one;
}
