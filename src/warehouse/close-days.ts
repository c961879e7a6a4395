/**
 * Closes days: writes down the sessions, revenue and counts of days that are over, so that reports need not read their events.
 *
 * A build has a number. Its rows carry it and count for nothing until `closed_days` names it, so a build that a crash cut short, or
 * that two workers make at once, changes no answer. Days are built in order, because the visitors of one are counted by when
 * they were last seen: a day built again opens the days after it until they are built again, too.
 */
import { randomInt } from "node:crypto";
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
/** What one statement takes on: 500,000 events of a day took 0.6 GB to become sessions. */
const CHUNK_EVENTS = 400_000;
const CHUNK_SESSIONS = 100_000;

type Engine = Pick<AnalyticsEngine, "selectJson" | "command" | "insert">;

export interface DueDay {
  project_id: string;
  day: string;
  key_days: string[];
  /** Whatever touches the day from here on opens it again. */
  started_ms: number;
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
 * Closes what is due, one day at a time and all projects of that day together, until nothing is. `onDay` hears of each day built
 * and of how many are left.
 */
export async function closeDueDays(
  engine: Engine,
  clock: Clock,
  options: CloseOptions & { onDay?: (built: DueDay[], left: number) => void } = {},
): Promise<number> {
  let built = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const due = await findDueDays(engine, options);
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
  const startedMs = Math.min(...due.map(({ started_ms }) => started_ms));
  const { build, events } = await startBuild(engine, clock, keys);
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
  if ((await countSessions(engine, params)) !== sessions)
    throw new Error("a build took so long that it was swept away");
  const rows = projects.map((project_id, index) =>
    JSON.stringify({ project_id, day, build: build + index + 1, started_at: startedMs }),
  );
  await engine.insert({ table: "closed_days", body: Buffer.from(rows.join("\n")) });
}

/** Building waits for nobody, so it gets one thread and leaves the other cores to reports and inserts. */
const BUILD_SETTINGS = { max_threads: 1, max_insert_threads: 1 } as const;

/** Below the numbers of a day's builds, one for each project: they follow it. Numbers grow with time and are above every one before. */
async function startBuild(
  engine: Engine,
  clock: Clock,
  keys: readonly unknown[],
): Promise<{ build: number; events: number }> {
  const { data } = await engine.selectJson<{ last: number; events: number }>(
    `SELECT (SELECT max(build) FROM closed_days) AS last,
       (SELECT count() FROM events WHERE (project_id, day) IN {keys:Array(Tuple(String, Date))}) AS events`,
    { params: { keys } },
  );
  const { last = 0, events = 0 } = data[0] ?? {};
  // The lot comes on top of either: workers that see the same last build must not both take the number after it.
  return { build: Math.max(buildNumber(clock.nowMs()), last + 1) + randomInt(LOTS), events };
}

/**
 * Seconds, and 22 bits below them that hold the number of the project in its build and a lot, so that two workers do not write
 * under the same number. A lot is an eighth of a second on average, which is less than a build takes, so numbers do not run ahead
 * of the clock. All of it stays below 2^53, which JSON can hold, until the year 2094.
 */
const NUMBERS_PER_S = 2 ** 22;
const LOTS = 2 ** 20;
const FIRST_S = Date.UTC(2026, 0, 1) / 1000;

/** The first number of a second. */
export function buildNumber(ms: number): number {
  return (Math.floor(ms / 1000) - FIRST_S) * NUMBERS_PER_S;
}

async function countSessions(engine: Engine, params: Readonly<Record<string, unknown>>): Promise<number> {
  const { data } = await engine.selectJson<{ n: number }>(
    `SELECT count() AS n FROM sessions
     WHERE project_id IN {projects:Array(String)} AND day = {day:Date} AND build > {build:UInt64} AND build <= {build:UInt64} + length({projects:Array(String)})`,
    { params },
  );
  return data[0]?.n ?? 0;
}
