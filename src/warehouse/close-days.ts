/**
 * Closes days: writes down the sessions, revenue and counts of days that are over, so that reports need not read their events.
 *
 * A build has a number. Its rows carry it and count for nothing until `closed_days` names it, so a build that a crash cut short, or
 * that two workers make at once, changes no answer. Days are built in order, because the visitors of one are counted by when they were
 * last seen: a build notes the earlier builds it rests on, and a day is open while those are not the ones that count.
 */
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  EVENT_COLUMNS,
  OWN_COLUMNS,
  placeOf,
  REVENUE_COLUMNS,
  revenueSql,
  sessionsSql,
  TOUCH_COLUMNS,
} from "../definitions/sessions.ts";
import { type AnalyticsEngine, tuple } from "../engines/analytics.ts";
import { buildNumber, NUMBERS_PER_S } from "./build-numbers.ts";
import { SETTLE_S } from "./day-book.ts";

/** A day is over this long after midnight UTC: clocks of nodes differ, and events of the last second are still on their way. */
const GRACE_S = 15 * 60;
/** What one statement takes on: 500,000 events of a day took 0.6 GB to become sessions. */
const CHUNK_EVENTS = 400_000;
const CHUNK_SESSIONS = 100_000;
/** Their names go with every statement; a thousand are about 40 KB of it. */
const PROJECTS_AT_ONCE = 1_000;

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
const BUILD_CHAINS = readSql("build_chains");
const BUILD_ROLLUPS = readSql("build_rollups");
const START_BUILD = readSql("start_build");
const EARLIER_BUILDS = readSql("earlier_builds");

function fill(name: string, columns: readonly string[], live: string): string {
  return readSql(name).replaceAll("/*columns*/", columns.join(", ")).replace("/*live*/", live);
}

/** The days that can be closed now, oldest first. */
export async function findDueDays(engine: Engine, options: CloseOptions = {}): Promise<DueDay[]> {
  const found = await engine.selectJson<{ project_id: string }>(
    "SELECT DISTINCT toString(project_id) AS project_id FROM event_days ORDER BY project_id",
    signalOf(options),
  );
  const all = found.data.map((row) => row.project_id);
  const due: DueDay[] = [];
  for (let at = 0; at < all.length; at += PROJECTS_AT_ONCE) {
    const projects = all.slice(at, at + PROJECTS_AT_ONCE);
    const params = { projects, grace_s: GRACE_S, settle_s: options.settleS ?? SETTLE_S };
    due.push(...(await engine.selectJson<DueDay>(DUE_DAYS, { params, ...signalOf(options) })).data);
  }
  return due.sort((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)));
}

/**
 * Closes what is due, one day at a time and its projects together, until nothing is. `onDue` hears how many days are due,
 * before each of them and at the end; `onDay` of the days built and of how many are left. A day is built once: what opens it again meanwhile waits for the next call.
 */
export async function closeDueDays(
  engine: Engine,
  options: CloseOptions & { onDue?: (days: number) => void; onDay?: (built: DueDay[], left: number) => void } = {},
): Promise<number> {
  const built = new Set<string>();
  for (;;) {
    options.signal?.throwIfAborted();
    const due = (await findDueDays(engine, options)).filter((one) => !built.has(nameOf(one)));
    options.onDue?.(due.length);
    const [first] = due;
    if (first === undefined) return built.size;
    const now = due.filter(({ day }) => day === first.day).slice(0, PROJECTS_AT_ONCE);
    await buildDay(engine, first.day, now, options);
    for (const one of now) built.add(nameOf(one));
    options.onDay?.(now, due.length - now.length);
  }
}

const nameOf = ({ project_id, day }: DueDay) => `${project_id} ${day}`;
const signalOf = ({ signal }: CloseOptions) => (signal ? { signal } : {});

async function buildDay(engine: Engine, day: string, due: readonly DueDay[], options: CloseOptions): Promise<void> {
  const projects = due.map(({ project_id }) => project_id);
  const keyPairs = due.flatMap(({ project_id, key_days }) => key_days.map((key) => [project_id, key] as const));
  const dayPairs = projects.map((project) => [project, day] as const);
  const keys = keyPairs.map((pair) => tuple(...pair));
  const days = dayPairs.map((pair) => tuple(...pair));
  const { build, events } = await startBuild(engine, keys, options);
  const earlier = await findEarlierBuilds(engine, { projects, day }, options);
  const place = placeOf(dayPairs, keyPairs).params;
  const params = { projects, ...place, keys, days, day, build, earlier: earlier.flatMap(({ builds }) => builds) };

  const run = async (sql: string, chunks: number) => {
    for (let chunk = 0; chunk < chunks; chunk += 1) {
      options.signal?.throwIfAborted();
      await engine.command(sql, {
        params: { ...params, chunks, chunk },
        settings: BUILD_SETTINGS,
        ...signalOf(options),
      });
    }
  };
  const eventChunks = Math.max(1, Math.ceil(events / CHUNK_EVENTS));
  await run(BUILD_SESSIONS, eventChunks);
  await run(BUILD_REVENUE, eventChunks);
  const sessionChunks = Math.max(1, Math.ceil((await countSessions(engine, params, options)) / CHUNK_SESSIONS));
  await run(BUILD_CHAINS, sessionChunks);
  await run(BUILD_ROLLUPS, sessionChunks);
  const restsOn = new Map(earlier.map(({ project, rests_on }) => [project, rests_on]));
  const started_at = Math.min(...due.map(({ started_ms }) => started_ms));
  const rows = projects.map((project_id, index) => {
    const rests_on = restsOn.get(project_id) ?? "0";
    return JSON.stringify({ project_id, day, build: build + index + 1, started_at, rests_on });
  });
  await engine.insert({ table: "closed_days", body: Buffer.from(rows.join("\n")), ...signalOf(options) });
}

/** Building waits for nobody, so it gets one thread and leaves the other cores to reports and inserts. */
const BUILD_SETTINGS = { max_threads: 1, max_insert_threads: 1 } as const;

/** The number below those of a day's builds, one for each project, and how many events there are to read. */
async function startBuild(
  engine: Engine,
  keys: readonly unknown[],
  options: CloseOptions,
): Promise<{ build: number; events: number }> {
  const { data } = await engine.selectJson<{ last: number; now_s: number; events: number }>(START_BUILD, {
    params: { keys },
    ...signalOf(options),
  });
  const { last = 0, now_s = 0, events = 0 } = data[0] ?? {};
  return { build: Math.max(buildNumber(now_s * 1000), last + 1) + randomInt(NUMBERS_PER_S / 2), events };
}

/** The builds of earlier days that count now, of each project, and what stands for all of them in `closed_days`. */
async function findEarlierBuilds(
  engine: Engine,
  params: { projects: string[]; day: string },
  options: CloseOptions,
): Promise<readonly { project: string; builds: number[]; rests_on: string }[]> {
  const given = { params, ...signalOf(options) };
  return (await engine.selectJson<{ project: string; builds: number[]; rests_on: string }>(EARLIER_BUILDS, given)).data;
}

async function countSessions(
  engine: Engine,
  params: Readonly<Record<string, unknown>>,
  options: CloseOptions,
): Promise<number> {
  const { data } = await engine.selectJson<{ n: number }>(
    `SELECT count() AS n FROM sessions
     WHERE project_id IN {projects:Array(String)} AND day = {day:Date}
       AND build > {build:UInt64} AND build <= {build:UInt64} + length({projects:Array(String)})`,
    { params, ...signalOf(options) },
  );
  return data[0]?.n ?? 0;
}
