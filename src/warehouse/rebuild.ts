import type { AnalyticsEngine } from "../engines/analytics.ts";
import type { Clock } from "../lib/clock.ts";
import { closeDueDays, findDueDays } from "./close-days.ts";
import { derivedSchema } from "./migrate.ts";

type Engine = Pick<AnalyticsEngine, "selectJson" | "command" | "insert">;

/** On a cluster, too, both read and write the Distributed tables: rows go where their project is. */
export const FIND_DAYS = `INSERT INTO event_days (project_id, day, key_day, touched_at)
SELECT DISTINCT project_id, toDate(timestamp), day, toDateTime64(0, 3, 'UTC') FROM events`;
/** Each day under a number of its own, above all others: one that is another day's, too, would bring that one's rows into reports. */
export const OPEN_DAYS = `INSERT INTO closed_days (project_id, day, build, started_at)
SELECT one.1, one.2, last + nth, toDateTime64(0, 3, 'UTC')
FROM (SELECT groupUniqArray((project_id, day)) AS days, max(build) AS last FROM closed_days)
ARRAY JOIN days AS one, arrayEnumerate(days) AS nth`;

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
  clock: Clock,
  options: { database: string; cluster?: string | undefined; onProgress?: (progress: RebuildProgress) => void },
): Promise<RebuildProgress> {
  for (const statement of derivedSchema(options)) await engine.command(statement);
  await engine.command(FIND_DAYS, { settings: { max_threads: 1 } });
  await engine.command(OPEN_DAYS);
  const total = (await findDueDays(engine)).length;
  let done = 0;
  options.onProgress?.({ done, total });
  await closeDueDays(engine, clock, {
    onDay(built, left) {
      done += built.length;
      options.onProgress?.({ done, total: Math.max(total, done + left) });
    },
  });
  return { done, total: Math.max(total, done) };
}
