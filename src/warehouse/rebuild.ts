import type { AnalyticsEngine } from "../engines/analytics.ts";
import { closeDueDays, findDueDays } from "./close-days.ts";
import { derivedSchema } from "./migrate.ts";

type Engine = Pick<AnalyticsEngine, "selectJson" | "command" | "insert">;

/** On a cluster, too, both read and write the Distributed tables: rows go where their project is. */
export const FIND_DAYS = `INSERT INTO event_days (project_id, day, key_day, touched_at)
SELECT DISTINCT project_id, toDate(timestamp), day, toDateTime64(0, 3, 'UTC') FROM events`;
export const OPEN_DAYS = `INSERT INTO closed_days (project_id, day, build, started_at)
SELECT project_id, day, max(build) + 1, toDateTime64(0, 3, 'UTC') FROM closed_days GROUP BY project_id, day`;

export interface RebuildProgress {
  done: number;
  total: number;
}

/**
 * Makes everything derived anew from the events, while the service runs. Its tables are created where they are missing, every day is
 * opened, so that reports read the events, and then closed again, oldest first. Days that got events just now stay open; the worker closes
 * them later.
 */
export async function rebuildDerived(
  engine: Engine,
  options: { database: string; cluster?: string | undefined; onProgress?: (progress: RebuildProgress) => void },
): Promise<RebuildProgress> {
  for (const statement of derivedSchema(options)) await engine.command(statement);
  await engine.command(FIND_DAYS, { settings: { max_threads: 1 } });
  await engine.command(OPEN_DAYS);
  const total = (await findDueDays(engine)).length;
  let done = 0;
  options.onProgress?.({ done, total });
  await closeDueDays(engine, {
    onDay(built, left) {
      done += built.length;
      options.onProgress?.({ done, total: Math.max(total, done + left) });
    },
  });
  return { done, total: Math.max(total, done) };
}
