/**
 * Events that arrive while somebody looks at the demo, so that what is shown as "now" lives: one to three a second, by
 * the way that all events take. They end with the last stream, and after an hour and a half of a day at the latest.
 */
import { setTimeout as delay } from "node:timers/promises";
import { createVisit, type DemoEvent } from "./events.ts";
import { createRandom } from "./random.ts";
import { type DemoTarget, isAccepted } from "./send.ts";

const MOST_AT_ONCE = 3;
/** A visit has six events or so. */
const VISITS_PER_SECOND = 0.33;

export interface TricklePace {
  readonly everyMs: number;
  /** Of a UTC day and a demo. */
  readonly mostEvents: number;
}

const PACE: TricklePace = { everyMs: 1_000, mostEvents: 10_000 };

export interface Trickles {
  /** Somebody looks. May be called for each stream; the returned function says that this one has ended. */
  watch(projectId: string, target: () => DemoTarget): () => void;
  /** The demos that are sent to now. */
  count(): number;
  close(): Promise<void>;
}

interface Trickle {
  watchers: number;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export function createTrickles(nowMs: () => number, pace: TricklePace = PACE): Trickles {
  const running = new Map<string, Trickle>();
  /** Events of a day by demo: those of days before are forgotten. */
  const sent = { day: "", events: new Map<string, number>() };

  function mayStillSend(projectId: string): boolean {
    const day = new Date(nowMs()).toISOString().slice(0, 10);
    if (day !== sent.day) {
      sent.day = day;
      sent.events.clear();
    }
    return (sent.events.get(projectId) ?? 0) < pace.mostEvents;
  }

  async function run(projectId: string, target: () => DemoTarget, signal: AbortSignal): Promise<void> {
    const random = createRandom(nowMs());
    let waiting: DemoEvent[] = [];
    while (mayStillSend(projectId)) {
      if (waiting.length === 0 || random.chance(VISITS_PER_SECOND))
        waiting = [...waiting, ...createVisit(random, nowMs())].sort(byTime);
      const due = waiting.findIndex((event) => Date.parse(event.original_timestamp) > nowMs());
      const count = Math.min(MOST_AT_ONCE, Math.max(1, due === -1 ? waiting.length : due));
      const events = waiting.splice(0, count).map((event) => ({ ...event, ...timesOf(nowMs()) }));
      // A demo that was deleted, or was made by a version that kept no key: nothing more is sent.
      if (!(await isAccepted(target(), events, signal))) return;
      sent.events.set(projectId, (sent.events.get(projectId) ?? 0) + events.length);
      await delay(pace.everyMs, undefined, { signal });
    }
  }

  function start(projectId: string, target: () => DemoTarget): Trickle {
    const stop = new AbortController();
    const done = run(projectId, target, stop.signal)
      // Stopped, or the events server cannot be reached: the next who looks begins again.
      .catch(() => undefined)
      .finally(() => {
        if (running.get(projectId) === trickle) running.delete(projectId);
      });
    const trickle = { watchers: 0, stop, done };
    running.set(projectId, trickle);
    return trickle;
  }

  return {
    watch(projectId, target) {
      const trickle = running.get(projectId) ?? start(projectId, target);
      trickle.watchers += 1;
      let isWatching = true;
      return () => {
        if (!isWatching) return;
        isWatching = false;
        trickle.watchers -= 1;
        if (trickle.watchers === 0) {
          trickle.stop.abort();
          if (running.get(projectId) === trickle) running.delete(projectId);
        }
      };
    },
    count: () => running.size,
    async close() {
      const all = [...running.values()];
      for (const { stop } of all) stop.abort();
      await Promise.all(all.map(({ done }) => done));
    },
  };
}

function byTime(one: DemoEvent, other: DemoEvent): number {
  return Date.parse(one.original_timestamp) - Date.parse(other.original_timestamp);
}

function timesOf(nowMs: number) {
  const now = new Date(nowMs).toISOString();
  return { original_timestamp: now, sent_at: now };
}
