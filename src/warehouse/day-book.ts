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

/**
 * Names the days of a batch in `event_days` before its events are stored: reports then read those days from the events until they
 * are closed again. A day that still runs cannot be closed, so it is named once; 100,000 batches a day cost a handful of inserts.
 */
export interface DayBook {
  open(days: readonly EventDay[], signal?: AbortSignal): Promise<void>;
}

/** Names the days of all events that are there. On a cluster, too, it reads and writes the Distributed tables: rows go where their project is. */
export const FIND_DAYS = `INSERT INTO event_days (project_id, day, key_day, touched_at)
SELECT DISTINCT project_id, toDate(timestamp), day, toDateTime64(0, 3, 'UTC') FROM events`;

export function createDayBook(engine: Pick<AnalyticsEngine, "insert">, clock: Clock): DayBook {
  const running = new Set<string>();
  let today = "";

  return {
    async open(days, signal) {
      const now = dayOf(clock.nowMs());
      if (now !== today) {
        running.clear();
        today = now;
      }
      const unnamed = days.filter((day) => !running.has(keyOf(day)));
      if (unnamed.length === 0) return;
      const body = Buffer.from(
        unnamed.map(({ project_id, day, key_day }) => JSON.stringify({ project_id, day, key_day })).join("\n"),
      );
      await engine.insert({ table: "event_days", body, ...(signal ? { signal } : {}) });
      for (const day of unnamed) if (day.day >= now) running.add(keyOf(day));
    },
  };
}

function keyOf({ project_id, day, key_day }: EventDay): string {
  return `${project_id}\n${day}\n${key_day}`;
}
