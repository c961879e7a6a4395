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
  const sentToday = createDayCount(nowMs);

  function forget(projectId: string, trickle: Trickle): void {
    if (running.get(projectId) === trickle) running.delete(projectId);
  }

  function start(projectId: string, target: () => DemoTarget): Trickle {
    const stop = new AbortController();
    const done = send(projectId, target, { nowMs, pace, sentToday }, stop.signal)
      // Stopped, or the events server cannot be reached: the next who looks begins again.
      .catch(() => undefined)
      .finally(() => forget(projectId, trickle));
    const trickle: Trickle = { watchers: 0, stop, done };
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
        if (trickle.watchers > 0) return;
        trickle.stop.abort();
        forget(projectId, trickle);
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

interface Sending {
  readonly nowMs: () => number;
  readonly pace: TricklePace;
  readonly sentToday: ReturnType<typeof createDayCount>;
}

async function send(
  projectId: string,
  target: () => DemoTarget,
  { nowMs, pace, sentToday }: Sending,
  signal: AbortSignal,
): Promise<void> {
  const random = createRandom(nowMs());
  let waiting: DemoEvent[] = [];
  while (sentToday.of(projectId) < pace.mostEvents) {
    if (waiting.length === 0 || random.chance(VISITS_PER_SECOND))
      waiting = [...waiting, ...createVisit(random, nowMs())].sort(byTime);
    const events = takeDue(waiting, nowMs());
    // A demo that was deleted, or was made by a version that kept no key: nothing more is sent.
    if (!(await isAccepted(target(), events, signal))) return;
    sentToday.add(projectId, events.length);
    await delay(pace.everyMs, undefined, { signal });
  }
}

/** Events of a day by demo: those of days before are forgotten. */
function createDayCount(nowMs: () => number) {
  let day = "";
  const events = new Map<string, number>();
  return {
    of(projectId: string): number {
      const today = new Date(nowMs()).toISOString().slice(0, 10);
      if (today !== day) events.clear();
      day = today;
      return events.get(projectId) ?? 0;
    },
    add(projectId: string, count: number): void {
      events.set(projectId, (events.get(projectId) ?? 0) + count);
    },
  };
}

/** Takes the events whose time has come, at least one, as if they happened now. */
function takeDue(waiting: DemoEvent[], nowMs: number): DemoEvent[] {
  const due = waiting.findIndex((event) => Date.parse(event.original_timestamp) > nowMs);
  const count = Math.min(MOST_AT_ONCE, Math.max(1, due === -1 ? waiting.length : due));
  return waiting.splice(0, count).map((event) => ({ ...event, ...timesOf(nowMs) }));
}

function byTime(one: DemoEvent, other: DemoEvent): number {
  return Date.parse(one.original_timestamp) - Date.parse(other.original_timestamp);
}

function timesOf(nowMs: number) {
  const now = new Date(nowMs).toISOString();
  return { original_timestamp: now, sent_at: now };
}
