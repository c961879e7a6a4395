/**
 * Builds a day: writes its sessions, revenue, visitors and counts down, so that reports need not read its events.
 *
 * A build has a number. Its rows carry it and count for nothing until `closed_days` names it, so a build that a crash cut short, or
 * that two workers make at once, changes no answer. The visitors of a day are counted by when they were last seen: a build notes the
 * earlier builds it rests on, and its day is open while those are not the ones that count.
 */
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { placeOf, type Source } from "../definitions/event-sources.ts";
import {
  EVENT_COLUMNS,
  OWN_COLUMNS,
  REVENUE_COLUMNS,
  revenueSql,
  sessionsSql,
  TOUCH_COLUMNS,
  VISIT_COLUMNS,
} from "../definitions/sessions.ts";
import { type AnalyticsEngine, tuple } from "../engines/analytics.ts";
import { buildNumber, NUMBERS_PER_S } from "./build-numbers.ts";

/** What one statement takes on: 500,000 events of a day took 0.6 GB to become sessions. */
const CHUNK_EVENTS = 400_000;
const CHUNK_SESSIONS = 100_000;

/** What builds write into. */
export const BUILT_TABLES = [
  "sessions",
  "revenue_events",
  "chain_visitors",
  "visits",
  "day_events",
  "rollups",
] as const;

export type BuildEngine = Pick<AnalyticsEngine, "selectJson" | "command" | "insert">;

export interface ProjectDay {
  project_id: string;
  day: string;
  key_days: string[];
}

export interface Build {
  day: string;
  /** All of that day. */
  projects: readonly ProjectDay[];
  /** Whatever touches the day from here on opens it again. */
  startedMs: number;
  /** Of a day that runs: events whose `first` is below it were received later and are left to the reports. */
  cut?: number;
  signal?: AbortSignal | undefined;
}

const readSql = (name: string) => readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), "utf8");
const START_BUILD = readSql("start_build");
const EARLIER_BUILDS = readSql("earlier_builds");

const SESSION_COLUMNS = [
  ...["project_id", "day", "visitors", "hits"],
  ...TOUCH_COLUMNS,
  ...EVENT_COLUMNS.map((name) => `e_${name}`),
];
const PAID_COLUMNS = ["project_id", "day", ...REVENUE_COLUMNS, ...OWN_COLUMNS];
/** Of a running day's events, besides its keys. */
const DAY_EVENT_COLUMNS = [
  ...["project_id", "session", "visitor", "timestamp", "has_touch", "type", "event", "acquisition"],
  ...REVENUE_COLUMNS.filter((name) => name !== "channel"),
  ...["address", "volume", "revenue", "points"],
];
/** What revenue can be grouped by. */
const PAID_DIMENSIONS = [...REVENUE_COLUMNS, "event"];

const BUILD_SNAPSHOT = readSql("build_snapshot").replaceAll("/*columns*/", DAY_EVENT_COLUMNS.join(", "));
const BUILD_CHAINS = readSql("build_chains");
const BUILD_VISITS = withTouch(readSql("build_visits"));
const BUILD_ROLLUPS = withTouch(readSql("build_rollups"));
const BUILD_REVENUE_ROLLUPS = readSql("build_revenue_rollups").replace(
  "/*pairs*/",
  PAID_DIMENSIONS.map((name) => `('${name}', toString(${name}))`).join(", "),
);
const BUILD_FROM_EVENTS = buildFrom("open");
const BUILD_FROM_SNAPSHOT = buildFrom("snapshot");

function buildFrom(source: Source) {
  const options = { source, chunked: true };
  const fill = (name: string, columns: readonly string[], live: string) =>
    readSql(name).replaceAll("/*columns*/", columns.join(", ")).replace("/*live*/", live);
  return {
    sessions: fill(
      "build_sessions",
      SESSION_COLUMNS,
      sessionsSql([...SESSION_COLUMNS, "e_visitor", "session"], options),
    ),
    revenue: fill("build_revenue", PAID_COLUMNS, revenueSql([...PAID_COLUMNS, "session"], options)),
  };
}

function withTouch(sql: string): string {
  return sql
    .replace("/*touch*/", VISIT_COLUMNS.map((name) => `toString(${name})`).join(", "))
    .replace("/*dimensions*/", VISIT_COLUMNS.map((name) => `'${name}'`).join(", "));
}

export async function buildDay(engine: BuildEngine, { day, projects: due, ...plan }: Build): Promise<void> {
  const given = plan.signal ? { signal: plan.signal } : {};
  const projects = due.map(({ project_id }) => project_id);
  // A running day's own key, also where no event of the day stands under it yet: a copy that comes under it later must not count.
  const own = plan.cut === undefined ? [] : [day];
  const keyPairs = due.flatMap(({ project_id, key_days }) =>
    [...new Set([...key_days, ...own])].map((key) => [project_id, key] as const),
  );
  const dayPairs = projects.map((project) => [project, day] as const);
  const keys = keyPairs.map((pair) => tuple(...pair));
  const { build, events } = await startBuild(engine, keys, given);
  const earlier = await findEarlierBuilds(engine, { projects, day }, given);
  const params = {
    ...{ projects, keys, day, build },
    ...placeOf(dayPairs, keyPairs).params,
    days: dayPairs.map((pair) => tuple(...pair)),
    earlier: earlier.flatMap(({ builds }) => builds),
    snapshots: [...new Set([0, ...earlier.flatMap(({ snapshots }) => snapshots)])],
    snapshot: plan.cut === undefined ? 0 : build,
    cut: plan.cut ?? 0,
  };

  const run = async (sql: string, chunks = 1) => {
    for (let chunk = 0; chunk < chunks; chunk += 1) {
      plan.signal?.throwIfAborted();
      await engine.command(sql, { params: { ...params, chunks, chunk }, settings: BUILD_SETTINGS, ...given });
    }
  };
  const eventChunks = Math.max(1, Math.ceil(events / CHUNK_EVENTS));
  const from = plan.cut === undefined ? BUILD_FROM_EVENTS : BUILD_FROM_SNAPSHOT;
  if (plan.cut !== undefined) await run(BUILD_SNAPSHOT, eventChunks);
  await run(from.sessions, eventChunks);
  await run(from.revenue, eventChunks);
  await run(BUILD_VISITS);
  await run(BUILD_REVENUE_ROLLUPS);
  // There are no more sessions than events: counting those of a small day would cost 9 to 13 ms of a build of 340.
  const sessions = events > CHUNK_SESSIONS ? await countSessions(engine, params, given) : events;
  const sessionChunks = Math.max(1, Math.ceil(sessions / CHUNK_SESSIONS));
  await run(BUILD_CHAINS, sessionChunks);
  await run(BUILD_ROLLUPS, sessionChunks);

  const restsOn = new Map(earlier.map(({ project, rests_on }) => [project, rests_on]));
  const rows = projects.map((project_id, index) => {
    const rests_on = restsOn.get(project_id) ?? "0";
    const number = build + index + 1;
    return JSON.stringify({
      project_id,
      day,
      build: number,
      started_at: plan.startedMs,
      rests_on,
      cut: params.cut,
      snapshot: params.snapshot,
    });
  });
  await engine.insert({ table: "closed_days", body: Buffer.from(rows.join("\n")), ...given });
}

/** Building waits for nobody, so it gets one thread and leaves the other cores to reports and inserts. */
const BUILD_SETTINGS = { max_threads: 1, max_insert_threads: 1 } as const;

interface Given {
  signal?: AbortSignal;
}

/** The number below those of a day's builds, one for each project, and how many events there are to read. */
async function startBuild(
  engine: BuildEngine,
  keys: readonly unknown[],
  given: Given,
): Promise<{ build: number; events: number }> {
  const { data } = await engine.selectJson<{ last: number; now_s: number; events: number }>(START_BUILD, {
    params: { keys },
    ...given,
  });
  const { last = 0, now_s = 0, events = 0 } = data[0] ?? {};
  return { build: Math.max(buildNumber(now_s * 1000), last + 1) + randomInt(NUMBERS_PER_S / 2), events };
}

interface EarlierBuilds {
  project: string;
  builds: number[];
  snapshots: number[];
  rests_on: string;
}

/** The builds of earlier days that count now, of each project, and what stands for all of them in `closed_days`. */
async function findEarlierBuilds(
  engine: BuildEngine,
  params: { projects: string[]; day: string },
  given: Given,
): Promise<readonly EarlierBuilds[]> {
  const options = { params, ...given };
  return (await engine.selectJson<EarlierBuilds>(EARLIER_BUILDS, options)).data;
}

async function countSessions(
  engine: BuildEngine,
  params: Readonly<Record<string, unknown>>,
  given: Given,
): Promise<number> {
  const { data } = await engine.selectJson<{ n: number }>(
    `SELECT count() AS n FROM sessions
     WHERE project_id IN {projects:Array(String)} AND day = {day:Date}
       AND build > {build:UInt64} AND build <= {build:UInt64} + length({projects:Array(String)})`,
    { params, ...given },
  );
  return data[0]?.n ?? 0;
}
