/** Fills the warehouse of the query bench by the engine itself, closes the days, and says what it takes on disk. */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { AnalyticsEngine } from "../src/engines/analytics.ts";
import { systemClock } from "../src/lib/clock.ts";
import { DAY_MS, dayOf } from "../src/lib/time.ts";
import { closeDueDays } from "../src/warehouse/close-days.ts";
import { FIND_DAYS } from "../src/warehouse/day-book.ts";
import { buildRunningDays } from "../src/warehouse/running-days.ts";
import { sweepBuilds } from "../src/warehouse/sweep-builds.ts";

export const DAYS = 90;

const INSERT = readFileSync(new URL("./query-data.sql", import.meta.url), "utf8");
/** Events of 1 KB: about 250 MB of text at a time, where the whole engine may take 2 GiB. */
const CHUNK_EVENTS = 250_000;
const EVENTS_A_SESSION = 5;
const INSERT_SETTINGS = { max_insert_threads: 1, max_partitions_per_insert_block: 0 } as const;
const SWEEP_AHEAD_MS = 2 * 3_600_000;
const MERGED_WITHIN_MS = 15 * 60_000;
/** So many looks in a row, a second apart, must find no merge: one is chosen some time after the one before. */
const QUIET_LOOKS = 8;

export interface LoadPlan {
  readonly events: number;
  /** Another load over the same days has another number, and other visitors. */
  readonly load: number;
  readonly projects: readonly string[];
}

/** The events of the last minutes, in small parts of their own: a service stores them as they come, every second. */
const LAST_MS = 15 * 60_000;

export interface Loading {
  /** Of the last event. */
  readonly endMs: number;
  /** Stores those of the last minutes. For when the parts of all others are merged. */
  loadLast(): Promise<void>;
}

/** Today is the last of the days, as far as it has come. */
export async function loadEvents(
  engine: AnalyticsEngine,
  plan: LoadPlan,
  onProgress: (done: number) => void,
): Promise<Loading> {
  const endMs = Date.now();
  const startMs = Date.parse(dayOf(endMs)) - (DAYS - 1) * DAY_MS;
  const common = {
    load: plan.load,
    projects: plan.projects,
    days: DAYS,
    sessions: Math.ceil(plan.events / EVENTS_A_SESSION),
    start_ms: startMs,
    end_ms: endMs,
  };
  const load = (from: number, count: number) =>
    engine.command(INSERT, { params: { ...common, from, count }, settings: INSERT_SETTINGS });
  const last = Math.ceil((plan.events * LAST_MS) / (endMs - startMs));
  const before = plan.events - last;
  for (let from = 0; from < before; from += CHUNK_EVENTS) {
    const count = Math.min(CHUNK_EVENTS, before - from);
    await load(from, count);
    onProgress(from + count);
  }
  await nameDays(engine);
  return {
    endMs,
    async loadLast() {
      await load(before, last);
      // Not as touched: that would open all days again.
      await engine.command(FIND_DAYS);
    },
  };
}

/** The writer names days before it stores events of them: what was closed before these came is open again. */
async function nameDays(engine: AnalyticsEngine): Promise<void> {
  await engine.command(
    `INSERT INTO event_days (project_id, day, key_day, touched_at)
     SELECT DISTINCT project_id, toDate(timestamp), day, now64(3) FROM events`,
  );
}

/** As long as this before now lies the last build of today in a service that runs: from 4.5 minutes when it ends to a minute or two more. */
const BUILT_BEFORE_MS = 400_000;

/** The state of a running day at the last event: built up to a few minutes before, and the rest is for the reports to find. */
export function buildToday(engine: AnalyticsEngine, lastEventMs: number): Promise<number> {
  return buildRunningDays(engine, { settleS: 0, receivedUntilMs: lastEventMs - BUILT_BEFORE_MS });
}

/** The sweep is the worker's, but for the hour that it keeps what others may still be reading. */
export async function closeDays(
  engine: AnalyticsEngine,
  onProgress: (done: number, left: number) => void,
): Promise<number> {
  let done = 0;
  await closeDueDays(engine, {
    settleS: 0,
    onDay(built, left) {
      done += built.length;
      onProgress(done, left);
    },
  });
  await sweepBuilds(engine, { nowMs: () => systemClock.nowMs() + SWEEP_AHEAD_MS });
  return done;
}

export async function waitForMerges(engine: AnalyticsEngine): Promise<void> {
  let quiet = 0;
  for (const giveUpAt = performance.now() + MERGED_WITHIN_MS; quiet < QUIET_LOOKS; await delay(1000)) {
    const { data } = await engine.selectJson<{ n: number }>("SELECT count() AS n FROM system.merges");
    quiet = data[0]?.n === 0 ? quiet + 1 : 0;
    if (performance.now() > giveUpAt) throw new Error(`merges do not end within ${MERGED_WITHIN_MS / 60_000} minutes`);
  }
}

export interface Disk {
  /** Rows of `events`: a repeated message counts until it is merged away, and the bench sends none. */
  readonly events: number;
  readonly bytesPerEvent: number;
  readonly tables: readonly { readonly table: string; readonly bytes: number; readonly parts: number }[];
  /** Of an event as a client sends it. */
  readonly rawBytes: number;
}

export async function measureDisk(engine: AnalyticsEngine): Promise<Disk> {
  const { data: tables } = await engine.selectJson<{ table: string; bytes: number; rows: number; parts: number }>(
    `SELECT table, sum(bytes_on_disk) AS bytes, sum(rows) AS rows, count() AS parts
     FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table ORDER BY bytes DESC`,
  );
  const { data: raw } = await engine.selectJson<{ bytes: number }>(
    `SELECT avg(length(formatRowNoNewline('JSONEachRow', channel, type, anonymous_id, user_id, address, event, context, properties,
       version, original_timestamp, sent_at, message_id))) AS bytes
     FROM events WHERE cityHash64(message_id) % 100 = 0`,
  );
  const events = tables.find(({ table }) => table === "events")?.rows ?? 0;
  const bytes = tables.reduce((sum, each) => sum + each.bytes, 0);
  return { events, bytesPerEvent: bytes / events, tables, rawBytes: raw[0]?.bytes ?? 0 };
}
