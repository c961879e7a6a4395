import type { AnalyticsEngine } from "../engines/analytics.ts";
import type { Clock } from "../lib/clock.ts";
import { dayOf } from "../lib/time.ts";

/** Longer than an insert under way can take to land after its day was named (its timeout is 130 s). */
export const SETTLE_S = 150;

/** Events of `day` (UTC, by their timestamp) that stand under `key_day` in the key of the events table. */
export interface EventDay {
  project_id: string;
  day: string;
  key_day: string;
}

/** What is stored later than this after its receipt is late: builds of running days rely on having seen it (running-days.ts). */
export const FRESH_S = 60;
/** For what was received at an unknown time. */
export const LATE = 0;

/**
 * Names the days of a batch in `event_days` before its events are stored: reports then read those days from the events until they
 * are built again. A day that still runs is named once, as one that nothing has touched, because its builds end at a time of receipt: 100,000 batches
 * a day cost a handful of inserts. Late events touch it, by the engine's clock: builds go by that, whatever the node's own says.
 */
export interface DayBook {
  /** `receivedMs`: when the oldest of the events was received. Their insert has to begin at once. */
  open(days: readonly EventDay[], receivedMs: number, signal?: AbortSignal): Promise<void>;
}

/** Longer ago a day counts as not named yet: an insert of 130 s has to end within the settling time. */
const NAMED_WITHIN_MS = 10_000;
const CLOCK_EVERY_MS = 60_000;

/** Names the days of all events that are there. On a cluster, too, it reads and writes the Distributed tables: rows go where their project is. */
export const FIND_DAYS = `INSERT INTO event_days (project_id, day, key_day, touched_at)
SELECT DISTINCT project_id, toDate(timestamp), day, toDateTime64(0, 3, 'UTC') FROM events`;

export function createDayBook(engine: Pick<AnalyticsEngine, "insert" | "selectJson">, clock: Clock): DayBook {
  const running = new Set<string>();
  let today = "";
  const readEngineClock = createEngineClock(engine, clock);
  /** A clock that is set back makes what it stamps from then on look late, until it is where it was. */
  let latestMs = 0;

  async function name(days: readonly EventDay[], receivedMs: number, given: { signal?: AbortSignal }): Promise<void> {
    const nowMs = clock.nowMs();
    const now = dayOf(nowMs);
    if (now !== today) {
      running.clear();
      today = now;
    }
    latestMs = Math.max(latestMs, await readEngineClock(given));
    const isLate = latestMs - receivedMs > FRESH_S * 1000;
    const runs = ({ day }: EventDay) => day >= now && !isLate;
    const unnamed = days.filter((day) => !(runs(day) && running.has(keyOf(day))));
    if (unnamed.length === 0) return;
    const late = isLate ? { is_late: 1, touched_at: latestMs } : {};
    const rows = unnamed.map((day) => JSON.stringify({ ...day, ...(runs(day) ? { touched_at: 0 } : late) }));
    await engine.insert({ table: "event_days", body: Buffer.from(rows.join("\n")), ...given });
    for (const day of unnamed) if (runs(day)) running.add(keyOf(day));
  }

  return {
    async open(days, receivedMs, signal) {
      for (let tookMs = Number.POSITIVE_INFINITY; days.length > 0 && tookMs > NAMED_WITHIN_MS; ) {
        const startedAt = performance.now();
        await name(days, receivedMs, signal ? { signal } : {});
        tookMs = performance.now() - startedAt;
      }
    },
  };
}

/** The engine's clock, asked for every minute: at most as much too late as the answer took. */
function createEngineClock(engine: Pick<AnalyticsEngine, "selectJson">, clock: Clock) {
  let aheadMs = 0;
  let askAgainAt = 0;
  return async (given: { signal?: AbortSignal }): Promise<number> => {
    if (performance.now() >= askAgainAt) {
      const askedAtMs = clock.nowMs();
      const { data } = await engine.selectJson<{ now_ms: number }>(
        "SELECT toUnixTimestamp64Milli(now64(3)) AS now_ms",
        given,
      );
      aheadMs = (data[0]?.now_ms ?? askedAtMs) - askedAtMs;
      askAgainAt = performance.now() + CLOCK_EVERY_MS;
    }
    return clock.nowMs() + aheadMs;
  };
}

function keyOf({ project_id, day, key_day }: EventDay): string {
  return `${project_id}\n${day}\n${key_day}`;
}
