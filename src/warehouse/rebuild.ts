/**
 * Makes everything derived anew from the events, while the service runs and whichever of its tables somebody has dropped. A report
 * meanwhile is exact or fails, because a table is there again only when nothing relies on what it held:
 *
 * 1. `event_days` and `closed_days`, which say what reports rely on. An empty `event_days` would say that there are no events: where it
 *    was missing, reports have to fail until it is filled, so the view they look through goes first and comes back last.
 * 2. Every day is opened: reports read the events. Those that have looked before are waited for.
 * 3. The other tables, the days of all events, and the view.
 * 4. The days are closed again, oldest first. Those that got events just now stay open; the worker closes them later.
 *
 * A run that was cut short is done again from the start.
 */
import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type AnalyticsEngine, EngineRefused } from "../engines/analytics.ts";
import { buildNumber, NUMBERS_PER_S } from "./build-numbers.ts";
import { closeDueDays, findDueDays } from "./close-days.ts";
import { FIND_DAYS } from "./day-book.ts";
import { derivedSchema } from "./migrate.ts";

type Engine = Pick<AnalyticsEngine, "selectJson" | "command" | "insert">;

export interface RebuildProgress {
  done: number;
  total: number;
}

/** Reports share a look at the days for 250 ms (query/days.ts), and then need a moment to reach the engine. */
const OLD_LOOKS_MS = 2_000;
/** ClickHouse's code for a table that is not there. */
const UNKNOWN_TABLE = 60;
const VIEW = "project_days";

export async function rebuildDerived(
  engine: Engine,
  options: { database: string; cluster?: string | undefined; onProgress?: (progress: RebuildProgress) => void },
): Promise<RebuildProgress> {
  const schema = derivedSchema(options).map((sql) => ({ sql, name: nameOf(sql) }));
  const create = async (isWanted: (name: string) => boolean) => {
    for (const { sql, name } of schema) if (isWanted(name)) await engine.command(sql);
  };
  const saysWhatCounts = (name: string) => name === "event_days" || name === "closed_days";

  if (await isMissing(engine, "event_days")) await engine.command(dropView(options.cluster));
  await create(saysWhatCounts);
  await openDays(engine);
  await delay(OLD_LOOKS_MS);
  await create((name) => !saysWhatCounts(name) && name !== VIEW);
  await engine.command(FIND_DAYS, { settings: { max_threads: 1 } });
  await create((name) => name === VIEW);

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

/** Of a table or view; on a cluster a table and its local part have the same. */
function nameOf(sql: string): string {
  const name = /^CREATE (?:TABLE IF NOT EXISTS|OR REPLACE VIEW) (\w+?)(?:_local)?\b/.exec(sql)?.[1];
  if (name === undefined) throw new Error(`what does this make? ${sql.slice(0, 60)}`);
  return name;
}

const dropView = (cluster: string | undefined) =>
  `DROP VIEW IF EXISTS ${VIEW}${cluster === undefined ? "" : ` ON CLUSTER '${cluster}'`}`;

async function isMissing(engine: Engine, table: string): Promise<boolean> {
  try {
    await engine.selectJson(`SELECT count() AS n FROM ${table}`);
    return false;
  } catch (cause) {
    if (cause instanceof EngineRefused && cause.code === UNKNOWN_TABLE) return true;
    throw cause;
  }
}

/**
 * A build without rows, begun before every event: it opens its day and those after it. Its number is its own, as that of any build. Days
 * that were never closed get one, too: a build of one that is being made now may have written into a table that was dropped since, and
 * has a lower number.
 */
async function openDays(engine: Engine): Promise<void> {
  const { data } = await engine.selectJson<{ project_id: string; day: string; last: number; now_s: number }>(
    `SELECT project_id, day, (SELECT max(build) FROM closed_days) AS last, toUnixTimestamp(now()) AS now_s
     FROM (SELECT project_id, day FROM closed_days UNION ALL SELECT project_id, day FROM event_days)
     GROUP BY project_id, day ORDER BY project_id, day`,
  );
  const [first] = data;
  if (first === undefined) return;
  // Of the next second: builds begun in this one have lower numbers.
  const base = Math.max(buildNumber((first.now_s + 1) * 1000), first.last + 1) + randomInt(NUMBERS_PER_S / 2);
  const rows = data.map(({ project_id, day }, index) =>
    JSON.stringify({ project_id, day, build: base + index, started_at: 0, rests_on: 0 }),
  );
  await engine.insert({ table: "closed_days", body: Buffer.from(rows.join("\n")) });
}
