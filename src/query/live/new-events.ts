/**
 * Finds newly stored events, each once. No column says when an event was stored. Each poll looks back a few seconds
 * from now by the time of receipt, and every tenth a minute; keys that were seen are not new. So an event is found if
 * it is stored within a minute of its receipt. Below `floorMs` nothing is new any more: keys from there on are
 * remembered, at most 20,000 and those of the last polls.
 */
import { LIVE_STREAM } from "../../contract/live.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Lookup } from "../run/run-lookup.ts";
import { type Arrivals, findArrivals } from "./arrivals.ts";

/** Events are stored within 5 s of their receipt, also under full load. */
const SHORT_MS = 5_000;
const LONG_MS = 60_000;
const LONG_EVERY = 10;

export interface NewEvents {
  /** The first poll finds what was received since the start. */
  poll(): Promise<Arrivals>;
  hasPolled(): boolean;
}

export function createNewEvents(clock: Clock, run: (lookup: Lookup<Arrivals>) => Promise<Arrivals>): NewEvents {
  const seen = new Map<string, number>();
  const startedMs = clock.nowMs();
  let floorMs = startedMs - LONG_MS;
  let polledMs = startedMs;
  let polls = 0;

  function remember({ all, isCut }: Arrivals, fromMs: number): void {
    for (const { key, receivedMs } of all) seen.set(key, receivedMs);
    floorMs = isCut ? Math.max(fromMs, all.at(-1)?.receivedMs ?? 0) : fromMs;
    for (const [key, receivedMs] of seen) if (receivedMs < floorMs) seen.delete(key);
  }

  return {
    hasPolled: () => polls > 0,
    async poll() {
      const nowMs = clock.nowMs();
      const isFirst = polls === 0;
      const isLong = polls % LONG_EVERY === 0;
      const backMs = isLong ? LONG_MS : SHORT_MS + (nowMs - polledMs);
      const sinceMs = Math.max(floorMs, nowMs - backMs);
      const seconds = Math.max(1, Math.round((nowMs - polledMs) / 1000));
      const found = await run(
        findArrivals({
          sinceMs,
          most: LIVE_STREAM.eventsPerSecond * seconds,
          isNew: ({ key, receivedMs }) => !seen.has(key) && (!isFirst || receivedMs >= startedMs),
        }),
      );
      polls += 1;
      polledMs = nowMs;
      remember(found, isLong ? sinceMs : floorMs);
      return found;
    },
  };
}
