/**
 * Late events make their partition and all later ones of the project dirty, and remove their rollups and profiles in the
 * same transaction.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import type { ChangedDays } from "../kept-reads.ts";
import { removeProfilesFrom } from "./profiles.ts";
import { BEFORE_ALL, readStates, replaceState } from "./rollup-state.ts";
import { readRows } from "./rows.ts";
import { removeRunningDays } from "./running-days.ts";

/**
 * Resolves with the oldest day of each project's events. A partition that is already dirty, as today's usually is, has no rollups to remove. The table decides what is clean,
 * not the clock, which may have been set back. For finished days the time is recorded, so that materialization waits
 * for further late events.
 */
export async function markDirty(
  connection: DuckDBConnection,
  events: string,
  nowMs: number,
): Promise<readonly ChangedDays[]> {
  const found = await connection.runAndReadAll(
    `SELECT project_id, epoch_ms(min(day)) AS oldest_ms FROM ${events} GROUP BY project_id`,
  );
  const oldest = readRows(found) as { project_id: string; oldest_ms: number }[];
  if (oldest.length === 0) return [];
  const states = await readStates(
    connection,
    oldest.map(({ project_id }) => project_id),
  );
  const today = dayOf(nowMs);
  for (const { project_id, oldest_ms } of oldest) {
    const day = dayOf(oldest_ms);
    const state = states.get(project_id);
    if (day >= today && day > (state?.clean_through ?? "")) continue;
    await replaceState(connection, {
      project_id,
      clean_through: earliest(state?.clean_through ?? BEFORE_ALL, dayOf(oldest_ms - DAY_MS)),
      removed_before: earliest(state?.removed_before ?? BEFORE_ALL, day),
      dirty_ms: nowMs,
      since_ms: state === undefined || state.clean_through >= day ? nowMs : state.since_ms,
      without_bots: state?.without_bots ?? false,
    });
    await removeRunningDays(connection, [project_id]);
    await connection.run("DELETE FROM rollups WHERE project_id = $project_id AND day >= CAST($day AS DATE)", {
      project_id,
      day,
    });
    await removeProfilesFrom(connection, project_id, day);
  }
  return oldest.map(({ project_id, oldest_ms }) => ({ projectId: project_id, day: dayOf(oldest_ms) }));
}

function earliest(one: string, other: string): string {
  return [one, other].toSorted()[0] ?? one;
}
