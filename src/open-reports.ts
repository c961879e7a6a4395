import { setTimeout as delay } from "node:timers/promises";
import { Counter, Gauge, type Registry } from "prom-client";
import type { AnalyticsEngine } from "./engines/analytics.ts";
import { systemClock } from "./lib/clock.ts";
import { tolerate, type WarnLog } from "./lib/tolerate.ts";
import { closeDueDays } from "./warehouse/close-days.ts";
import { sweepBuilds } from "./warehouse/sweep-builds.ts";

/** Often enough that a day is closed soon after it is over; a look costs the engine about 10 ms. */
const LOOK_EVERY_MS = 30_000;
const SWEEP_EVERY_MS = 10 * 60_000;

export interface DayCloser {
  stop(): Promise<void>;
}

/** Closes days for as long as the service runs. What fails is tried again: a day that is not closed is only slower to report. */
export function startDayCloser(deps: {
  engine: AnalyticsEngine;
  cluster: string | undefined;
  registry: Registry;
  log: WarnLog;
}): DayCloser {
  const stopping = new AbortController();
  const { signal } = stopping;
  const registers = [deps.registry];
  const closed = new Counter({
    name: "sextant_days_closed_total",
    help: "Days of projects that were closed.",
    registers,
  });
  const due = new Gauge({ name: "sextant_days_due", help: "Days of projects that wait to be closed.", registers });

  async function closeNow(): Promise<void> {
    await closeDueDays(deps.engine, systemClock, {
      signal,
      onDay(built, left) {
        closed.inc(built.length);
        due.set(left);
      },
    });
    due.set(0);
  }

  const unlessStopping = (cause: unknown) => {
    if (!signal.aborted) throw cause;
  };

  async function run(): Promise<void> {
    let sweepAtMs = systemClock.nowMs() + SWEEP_EVERY_MS;
    while (!signal.aborted) {
      await tolerate(closeNow().catch(unlessStopping), deps.log, "days that are not closed are read from their events");
      if (systemClock.nowMs() >= sweepAtMs) {
        await tolerate(sweepBuilds(deps.engine, systemClock, deps.cluster), deps.log, "the next sweep removes it");
        sweepAtMs = systemClock.nowMs() + SWEEP_EVERY_MS;
      }
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort(new Error("stopping"));
      await running;
    },
  };
}
