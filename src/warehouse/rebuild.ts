import { randomInt } from "node:crypto";
import type { AnalyticsEngine } from "../engines/analytics.ts";
import { buildNumber, NUMBERS_PER_S } from "./build-numbers.ts";
import { closeDueDays, findDueDays } from "./close-days.ts";
import { FIND_DAYS } from "./day-book.ts";
import { derivedSchema } from "./migrate.ts";

type Engine = Pick<AnalyticsEngine, "selectJson" | "command" | "insert">;

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
  await openClosedDays(engine);
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

/** A build without rows, begun before every event: it opens its day and those after it. Its number is its own, as that of any build. */
async function openClosedDays(engine: Engine): Promise<void> {
  const { data } = await engine.selectJson<{ project_id: string; day: string; last: number; now_s: number }>(
    `SELECT project_id, day, (SELECT max(build) FROM closed_days) AS last, toUnixTimestamp(now()) AS now_s
     FROM closed_days GROUP BY project_id, day ORDER BY project_id, day`,
  );
  const [first] = data;
  if (first === undefined) return;
  const base = Math.max(buildNumber(first.now_s * 1000), first.last + 1) + randomInt(NUMBERS_PER_S / 2);
  const rows = data.map(({ project_id, day }, index) =>
    JSON.stringify({ project_id, day, build: base + index, started_at: 0, rests_on: 0 }),
  );
  await engine.insert({ table: "closed_days", body: Buffer.from(rows.join("\n")) });
}
