/**
 * Samples the ledger of the last hour, with at most 1 % of a core. DuckDB reads the ledger table. ClickHouse counts
 * duplicates at query time, from the ids of all partitions that the hour's events belong to: 0.2 us per event, 1 s for
 * five million. So a sample is followed by a pause of a hundred times its own duration. Callers meanwhile receive the
 * last sample.
 */
import type { AnalyticsEngine } from "../engines/port.ts";
import type { Clock } from "../lib/clock.ts";
import { HOUR_MS } from "../lib/time.ts";
import { withTimeout } from "../lib/timeout.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { type LedgerTotals, readLedgerTotals } from "./ledger.ts";

const PAUSE_FACTOR = 100;
const MIN_PAUSE_MS = 1_000;
/** Well below the 10 s that Prometheus waits for all metrics. */
const WAIT_MS = 2_000;

export interface LedgerSamples {
  /**
   * The last sample, or undefined if it failed or there is none yet. A caller waits at most 2 s, also if a sample takes
   * longer.
   */
  read(): Promise<LedgerTotals | undefined>;
  stop(): void;
}

export function createLedgerSamples(deps: {
  engine: Pick<AnalyticsEngine, "select">;
  clock: Clock;
  /** A clock for the pauses, which is never set. */
  steady: Clock;
  log: WarnLog;
}): LedgerSamples {
  const stopping = new AbortController();
  const { signal } = stopping;
  let last: LedgerTotals | undefined;
  let dueAtMs = Number.NEGATIVE_INFINITY;
  let sampling: Promise<void> | undefined;
  let reading: Promise<LedgerTotals | undefined> | undefined;

  async function sample(): Promise<void> {
    const startedAtMs = deps.steady.nowMs();
    const toMs = deps.clock.nowMs();
    const totals = readLedgerTotals(deps.engine, { fromMs: toMs - HOUR_MS, toMs }, signal).catch((cause: unknown) => {
      if (!signal.aborted) throw cause;
      return undefined;
    });
    last = await tolerate(totals, deps.log, "the other metrics are reported without the ledger");
    const endedAtMs = deps.steady.nowMs();
    dueAtMs = endedAtMs + Math.max(MIN_PAUSE_MS, (endedAtMs - startedAtMs) * PAUSE_FACTOR);
    sampling = undefined;
  }

  async function ask(): Promise<LedgerTotals | undefined> {
    if (sampling === undefined && deps.steady.nowMs() >= dueAtMs) sampling = sample();
    // The next caller receives a sample that is too late for this one.
    if (sampling !== undefined) await withTimeout(WAIT_MS, sampling).catch(() => undefined);
    return last;
  }

  return {
    read() {
      // Concurrent callers share one result: two metrics of one scrape then add up.
      reading ??= ask().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    stop: () => stopping.abort(new Error("stopping")),
  };
}
