/**
 * Reads newly stored events of some projects once a second, for all streams about them. The engine is the source, so
 * that events of every node are in it.
 *
 * No column says when an event was stored. Each poll looks back a few seconds from now by the time of receipt, and every
 * tenth a minute; keys that were seen are not new. So an event is in the stream if it is stored within a minute of its
 * receipt. Below `floorMs` nothing is new any more: keys from there on are remembered, at most 20,000 and those of the
 * last polls.
 */
import { LIVE_STREAM } from "../../contract/live.ts";
import type { Clock } from "../../lib/clock.ts";
import type { WarnLog } from "../../lib/tolerate.ts";
import type { Spent } from "../in-slot.ts";
import type { ReportOwner } from "../question.ts";
import type { Lookup, RunLookup } from "../run-lookup.ts";
import { type Arrivals, findArrivals, type LiveEvent } from "./arrivals.ts";
import { type LiveCounts, liveCounts } from "./live.ts";

export interface LiveListener {
  /** In order of receipt. `skipped`: how many more there were. */
  onEvents(events: readonly LiveEvent[], skipped: number): void;
  onCounts(counts: LiveCounts): void;
}

export interface PollerDeps {
  runLookup: RunLookup;
  clock: Clock;
  log: WarnLog;
  /** Only tests set it. */
  pace?: { readonly pollMs: number; readonly countsMs: number };
}

export interface Poller {
  /** Everything that was stored before is known. Rejects if the engine cannot be read. */
  readonly ready: Promise<void>;
  add(listener: LiveListener): void;
  /** True if it was the last one: nobody listens, and nothing is read any more. */
  remove(listener: LiveListener): boolean;
}

const PACE = { pollMs: 1_000, countsMs: LIVE_STREAM.countsSeconds * 1000 };
/** A slow engine is polled a fifth of the time at most. */
const PAUSE_PER_WORK = 4;
const LONGEST_PAUSE_MS = 10_000;
/** Events are stored within 5 s of their receipt, also under full load. */
const SHORT_MS = 5_000;
const LONG_MS = 60_000;
const LONG_EVERY = 10;

export function startPoller(deps: PollerDeps, owner: ReportOwner, spent: Spent): Poller {
  const { pollMs, countsMs } = deps.pace ?? PACE;
  const listeners = new Set<LiveListener>();
  const seen = new Map<string, number>();
  const stopping = new AbortController();
  const startedMs = deps.clock.nowMs();
  let floorMs = startedMs - LONG_MS;
  let polledMs = startedMs;
  let countedMs = Number.NEGATIVE_INFINITY;
  let counts: LiveCounts | undefined;
  let polls = 0;
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;

  const run = <T>(lookup: Lookup<T>) => deps.runLookup(lookup, owner, stopping.signal, spent);

  async function poll(): Promise<void> {
    const nowMs = deps.clock.nowMs();
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
    if (found.events.length > 0 || found.skipped > 0)
      for (const listener of listeners) listener.onEvents(found.events, found.skipped);
  }

  function remember({ all, isCut }: Arrivals, fromMs: number): void {
    for (const { key, receivedMs } of all) seen.set(key, receivedMs);
    floorMs = isCut ? Math.max(fromMs, all.at(-1)?.receivedMs ?? 0) : fromMs;
    for (const [key, receivedMs] of seen) if (receivedMs < floorMs) seen.delete(key);
  }

  async function count(): Promise<void> {
    const nowMs = deps.clock.nowMs();
    if (nowMs - countedMs < countsMs && nowMs >= countedMs) return;
    counts = await run(liveCounts());
    countedMs = nowMs;
    for (const listener of listeners) listener.onCounts(counts);
  }

  async function work(): Promise<void> {
    const startedAt = performance.now();
    try {
      await poll();
      await count();
      isFailing = false;
    } catch (cause) {
      // Once for each outage: the next polls find what this one could not.
      if (!stopping.signal.aborted && !isFailing) deps.log.warn({ err: cause }, "live streams cannot read new events");
      isFailing = true;
      if (polls === 0) throw cause;
    } finally {
      const pauseMs = Math.max(pollMs, (performance.now() - startedAt) * PAUSE_PER_WORK);
      if (!stopping.signal.aborted)
        timer = setTimeout(() => void work().catch(() => undefined), Math.min(pauseMs, LONGEST_PAUSE_MS)).unref();
    }
  }

  const ready = work();
  // A caller that waits sees the failure; others are told by the next polls.
  ready.catch(() => undefined);
  return {
    ready,
    add(listener) {
      listeners.add(listener);
      if (counts !== undefined) listener.onCounts(counts);
    },
    remove(listener) {
      listeners.delete(listener);
      if (listeners.size > 0) return false;
      stopping.abort();
      clearTimeout(timer);
      return true;
    },
  };
}
