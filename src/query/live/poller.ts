/**
 * Reads newly stored events of some projects once a second, for all streams about them. The engine is the source, so
 * that events of every node are in it.
 */
import { LIVE_STREAM } from "../../contract/live.ts";
import type { Clock } from "../../lib/clock.ts";
import type { WarnLog } from "../../lib/tolerate.ts";
import type { ReportOwner } from "../report/question.ts";
import type { Spent } from "../run/in-slot.ts";
import type { Lookup, RunLookup } from "../run/run-lookup.ts";
import type { LiveEvent } from "./arrivals.ts";
import { type LiveCounts, liveCounts } from "./live.ts";
import { createNewEvents } from "./new-events.ts";

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

export function startPoller(deps: PollerDeps, owner: ReportOwner, spent: Spent): Poller {
  const { pollMs, countsMs } = deps.pace ?? PACE;
  const listeners = new Set<LiveListener>();
  const stopping = new AbortController();
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;

  const run = <T>(lookup: Lookup<T>) => deps.runLookup(lookup, owner, stopping.signal, spent);
  const newEvents = createNewEvents(deps.clock, run);
  const counts = createCounts(deps.clock, countsMs, () => run(liveCounts()));

  async function work(): Promise<void> {
    const startedAt = performance.now();
    try {
      await tellNew(newEvents, counts, listeners);
      isFailing = false;
    } catch (cause) {
      // Once for each outage: the next polls find what this one could not.
      if (!stopping.signal.aborted && !isFailing) deps.log.warn({ err: cause }, "live streams cannot read new events");
      isFailing = true;
      if (!newEvents.hasPolled()) throw cause;
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
      const counted = counts.last();
      if (counted !== undefined) listener.onCounts(counted);
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

async function tellNew(
  newEvents: ReturnType<typeof createNewEvents>,
  counts: ReturnType<typeof createCounts>,
  listeners: ReadonlySet<LiveListener>,
): Promise<void> {
  const { events, skipped } = await newEvents.poll();
  if (events.length > 0 || skipped > 0) for (const listener of listeners) listener.onEvents(events, skipped);
  const counted = await counts.findNew();
  if (counted !== undefined) for (const listener of listeners) listener.onCounts(counted);
}

function createCounts(clock: Clock, everyMs: number, read: () => Promise<LiveCounts>) {
  let countedMs = Number.NEGATIVE_INFINITY;
  let counts: LiveCounts | undefined;
  return {
    last: () => counts,
    /** Undefined until it is time to count again. */
    async findNew(): Promise<LiveCounts | undefined> {
      const nowMs = clock.nowMs();
      if (nowMs - countedMs < everyMs && nowMs >= countedMs) return undefined;
      counts = await read();
      countedMs = nowMs;
      return counts;
    },
  };
}
