/**
 * Samples of the ledger of the last hour, for whoever asks, as often as they like. DuckDB reads it from the ledger alone. ClickHouse finds copies when it is
 * asked, by the ids of all partitions that the hour's events belong to: 0.2 us for each event, 1 s for five million. So a sample is followed by a
 * pause of a hundred times its own length, and takes no more than a hundredth of a core. Whoever asks meanwhile gets the last one.
 */
import type { AnalyticsEngine } from "../engines/port.ts";
import type { Clock } from "../lib/clock.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { within } from "../lib/within.ts";
import { type LedgerTotals, readLedgerTotals } from "./ledger.ts";

const HOUR_MS = 3_600_000;
const PAUSE_LENGTHS = 100;
const PAUSE_LEAST_MS = 1_000;
/** Well below the 10 s that a Prometheus waits for all metrics. */
const WAIT_MS = 2_000;

export interface LedgerSamples {
  /** The last sample, or undefined when it failed or there is none yet. A sample takes as long as it takes, a caller 2 s at most. */
  read(): Promise<LedgerTotals | undefined>;
  stop(): void;
}

export function createLedgerSamples(deps: {
  engine: Pick<AnalyticsEngine, "select">;
  clock: Clock;
  /** For the pauses. */
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
    dueAtMs = endedAtMs + Math.max(PAUSE_LEAST_MS, (endedAtMs - startedAtMs) * PAUSE_LENGTHS);
    sampling = undefined;
  }

  async function ask(): Promise<LedgerTotals | undefined> {
    if (sampling === undefined && deps.steady.nowMs() >= dueAtMs) sampling = sample();
    // What comes too late for this caller is there for the next.
    if (sampling !== undefined) await within(WAIT_MS, sampling).catch(() => undefined);
    return last;
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
