/**
 * The ledger of the last hour, for whoever asks, as often as they like. Which events are copies is known to the events table alone, and
 * it finds out by reading the ids of all days that the hour's events belong to: 0.2 us for each event of those days, 1 s for five million,
 * however short the window. So a look is followed by a pause of a hundred times its own length, and the engine spends no more than a
 * hundredth of a core on it. Whoever asks meanwhile gets what the last look found.
 */
import type { AnalyticsEngine } from "../engines/analytics.ts";
import type { Clock } from "../lib/clock.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { within } from "../lib/within.ts";
import { type LedgerTotals, readLedgerTotals } from "./events-admin.ts";

const HOUR_MS = 3_600_000;
const PAUSE_LENGTHS = 100;
const PAUSE_LEAST_MS = 1_000;
/** Well below the 10 s that a Prometheus waits for all metrics. */
const WAIT_MS = 2_000;

export interface LedgerLooks {
  /** What the last look found, or undefined when it failed or has found nothing yet. A look takes as long as it takes, a caller 2 s at most. */
  read(): Promise<LedgerTotals | undefined>;
  stop(): void;
}

export function createLedgerLooks(deps: {
  engine: Pick<AnalyticsEngine, "selectJson">;
  clock: Clock;
  /** For the pauses. */
  steady: Clock;
  log: WarnLog;
}): LedgerLooks {
  const stopping = new AbortController();
  const { signal } = stopping;
  let found: LedgerTotals | undefined;
  let dueAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  let reading: Promise<LedgerTotals | undefined> | undefined;

  async function look(): Promise<void> {
    const startedAtMs = deps.steady.nowMs();
    const toMs = deps.clock.nowMs();
    const totals = readLedgerTotals(deps.engine, { fromMs: toMs - HOUR_MS, toMs }, signal).catch((cause: unknown) => {
      if (!signal.aborted) throw cause;
      return undefined;
    });
    found = await tolerate(totals, deps.log, "the other metrics are told without the ledger");
    const endedAtMs = deps.steady.nowMs();
    dueAtMs = endedAtMs + Math.max(PAUSE_LEAST_MS, (endedAtMs - startedAtMs) * PAUSE_LENGTHS);
    looking = undefined;
  }

  async function ask(): Promise<LedgerTotals | undefined> {
    if (looking === undefined && deps.steady.nowMs() >= dueAtMs) looking = look();
    // What comes too late for this caller is there for the next.
    if (looking !== undefined) await within(WAIT_MS, looking).catch(() => undefined);
    return found;
  }

  return {
    read() {
      // Who asks at the same time is told the same: two metrics that are read together add up.
      reading ??= ask().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    stop: () => stopping.abort(new Error("stopping")),
  };
}
