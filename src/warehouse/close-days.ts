/**
 * Closes days: writes down the sessions, revenue and counts of days that are over, so that reports need not read their events.
 *
 * A build has a number. Its rows carry it and count for nothing until `closed_days` names it, so a build that a crash cut short, or
 * that two workers make at once, changes no answer. Days are built in order, because the visitors of one are counted by when
 * they were last seen: a day built again opens the days after it until they are built again, too.
 */
import { readFileSync } from "node:fs";
import {
  EVENT_COLUMNS,
  OWN_COLUMNS,
  REVENUE_COLUMNS,
  revenueSql,
  sessionsSql,
  TOUCH_COLUMNS,
} from "../definitions/sessions.ts";
import { type AnalyticsEngine, tuple } from "../engines/analytics.ts";
import type { Clock } from "../lib/clock.ts";

/** Longer than an insert under way can take to land after its day was named (its timeout is 130 s). */
const SETTLE_S = 150;
/** A day is over this long after midnight UTC: clocks of nodes differ, and events of the last second are still on their way. */
const GRACE_S = 15 * 60;
/** An answer may still be reading the builds it found when it began; no report takes this long. */
const KEEP_OLD_MS = 10 * 60_000;
/** What one statement takes on: 500,000 events of a day took 0.6 GB to become sessions. */
const CHUNK_EVENTS = 400_000;
const CHUNK_SESSIONS = 100_000;

type Engine = Pick<AnalyticsEngine, "selectJson" | "command" | "insert">;

export interface DueDay {
  project_id: string;
  day: string;
  key_days: string[];
}

export interface CloseOptions {
  settleS?: number;
  signal?: AbortSignal;
}

const readSql = (name: string) => readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), "utf8");
const DUE_DAYS = readSql("due_days");
const SESSION_COLUMNS = [
  ...["project_id", "day", "visitors", "hits", "e_visitor"],
  ...TOUCH_COLUMNS,
  ...EVENT_COLUMNS.map((name) => `e_${name}`),
];
const PAID_COLUMNS = ["project_id", "day", ...REVENUE_COLUMNS, ...OWN_COLUMNS];
const BUILD_SESSIONS = fill("build_sessions", SESSION_COLUMNS, sessionsSql(SESSION_COLUMNS, { chunked: true }));
const BUILD_REVENUE = fill("build_revenue", PAID_COLUMNS, revenueSql(PAID_COLUMNS, { chunked: true }));
const BUILD_ROLLUPS = readSql("build_rollups");
const SWEEP = readSql("sweep");

function fill(name: string, columns: readonly string[], live: string): string {
  return readSql(name).replaceAll("/*columns*/", columns.join(", ")).replace("/*live*/", live);
}

/** The days that can be closed now, oldest first. */
export async function findDueDays(engine: Engine, options: CloseOptions = {}): Promise<DueDay[]> {
  const found = await engine.selectJson<{ project_id: string }>(
    "SELECT DISTINCT toString(project_id) AS project_id FROM event_days",
  );
  const projects = found.data.map((row) => row.project_id);
  const params = { projects, grace_s: GRACE_S, settle_s: options.settleS ?? SETTLE_S };
  return [...(await engine.selectJson<DueDay>(DUE_DAYS, { params })).data];
}

/**
 * Closes what is due, one day at a time and all projects of that day together, until nothing is. `onDue` hears how many days are,
 * before each of them and at the end; `onDay` hears of each day built and of how many are left.
 */
export async function closeDueDays(
  engine: Engine,
  clock: Clock,
  options: CloseOptions & { onDue?: (days: number) => void; onDay?: (built: DueDay[], left: number) => void } = {},
): Promise<number> {
  let built = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const due = await findDueDays(engine, options);
    options.onDue?.(due.length);
    const [first] = due;
    if (first === undefined) return built;
    const now = due.filter(({ day }) => day === first.day);
    await buildDay(engine, clock, first.day, now);
    built += now.length;
    options.onDay?.(now, due.length - now.length);
  }
}

async function buildDay(engine: Engine, clock: Clock, day: string, due: readonly DueDay[]): Promise<void> {
  const projects = due.map(({ project_id }) => project_id);
  const keys = due.flatMap(({ project_id, key_days }) => key_days.map((key) => tuple(project_id, key)));
  const days = projects.map((project) => tuple(project, day));
  const { build, startedMs, events } = await startBuild(engine, clock, keys);
  const params = { projects, keys, days, day, build };

  const run = async (sql: string, chunks: number) => {
    for (let chunk = 0; chunk < chunks; chunk += 1) {
      await engine.command(sql, { params: { ...params, chunks, chunk }, settings: BUILD_SETTINGS });
    }
  };
  const eventChunks = Math.max(1, Math.ceil(events / CHUNK_EVENTS));
  await run(BUILD_SESSIONS, eventChunks);
  await run(BUILD_REVENUE, eventChunks);
  const sessions = await countSessions(engine, params);
  await run(BUILD_ROLLUPS, Math.max(1, Math.ceil(sessions / CHUNK_SESSIONS)));
  const rows = projects.map((project_id) => JSON.stringify({ project_id, day, build, started_at: startedMs }));
  await engine.insert({ table: "closed_days", body: Buffer.from(rows.join("\n")) });
}

/** Building waits for nobody, so it gets one thread and leaves the other cores to reports and inserts. */
const BUILD_SETTINGS = { max_threads: 1, max_insert_threads: 1, distributed_product_mode: "local" } as const;

/**
 * The number of a build grows with time and is above every one before. Its start is told by the engine, whose clock has also
 * stamped the touches of `event_days`.
 */
async function startBuild(
  engine: Engine,
  clock: Clock,
  keys: readonly unknown[],
): Promise<{ build: number; startedMs: number; events: number }> {
  const { data } = await engine.selectJson<{ last: number; started: number; events: number }>(
    `SELECT (SELECT max(build) FROM closed_days) AS last, toUnixTimestamp64Milli(now64(3)) AS started,
       (SELECT count() FROM events WHERE (project_id, day) IN {keys:Array(Tuple(String, Date))}) AS events`,
    { params: { keys } },
  );
  const { last = 0, started = 0, events = 0 } = data[0] ?? {};
  return { build: Math.max(clock.nowMs(), last + 1), startedMs: started, events };
}

async function countSessions(engine: Engine, params: Readonly<Record<string, unknown>>): Promise<number> {
  const { data } = await engine.selectJson<{ n: number }>(
    `SELECT count() AS n FROM sessions
     WHERE project_id IN {projects:Array(String)} AND day = {day:Date} AND build = {build:UInt64}`,
    { params },
  );
  return data[0]?.n ?? 0;
}

/** Removes what builds that no longer count have left. */
export async function sweepBuilds(engine: Engine, clock: Clock, cluster?: string): Promise<void> {
  const before = clock.nowMs() - KEEP_OLD_MS;
  for (const table of ["sessions", "revenue_events", "rollups", "closed_days"]) {
    const stale = await engine.selectJson<{ n: number }>(
      `SELECT count() AS n FROM {table:Identifier} WHERE build < {before:UInt64}
       AND (project_id, day, build) NOT IN (SELECT project_id, day, max(build) FROM closed_days GROUP BY project_id, day)`,
      { params: { table, before } },
    );
    if ((stale.data[0]?.n ?? 0) === 0) continue;
    const local = cluster === undefined ? table : `${table}_local`;
    const on = cluster === undefined ? "" : ` ON CLUSTER '${cluster}'`;
    await engine.command(SWEEP.replace("{table:Identifier}", `${local}${on}`), { params: { before } });
  }
}
