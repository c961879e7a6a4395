import { setTimeout as delay } from "node:timers/promises";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { AnalyticsEngine } from "./engines/analytics.ts";
import { systemClock } from "./lib/clock.ts";
import { tolerate, type WarnLog } from "./lib/tolerate.ts";
import { createRunReport, type RunReport } from "./query/run.ts";
import { createTurns, type TurnLimits } from "./query/turns.ts";
import { closeDueDays } from "./warehouse/close-days.ts";
import { buildRunningDays } from "./warehouse/running-days.ts";
import { sweepBuilds } from "./warehouse/sweep-builds.ts";

/** Often enough that a day is closed soon after it is over; a look costs the engine about 10 ms. */
const LOOK_EVERY_MS = 30_000;
const SWEEP_EVERY_MS = 10 * 60_000;
/** Days that run are built for a tenth of the time at most: 5 s for 90,000 events a day of each of 5 projects, after 36 million before them. */
const RUNNING_SHARE = 0.1;
const RUNNING_EVERY_MS = 60_000;

/** How reports are answered, with a measure of each. */
export function openReports(deps: { engine: AnalyticsEngine; limits: TurnLimits; registry: Registry }): RunReport {
  const registers = [deps.registry];
  const turns = createTurns(deps.limits);
  const seconds = new Histogram({
    name: "sextant_report_seconds",
    help: "Time of reports, their wait for a turn included, by how they ended: answered, abandoned, limited or failed.",
    labelNames: ["report", "outcome"],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const gauges: [string, string, () => number][] = [
    ["sextant_reports_running", "Reports that run now.", () => turns.count().running],
    ["sextant_reports_waiting", "Reports that wait for their turn.", () => turns.count().waiting],
  ];
  for (const [name, help, read] of gauges) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
  const observe = (report: string, outcome: string, elapsed: number) => seconds.observe({ report, outcome }, elapsed);
  return createRunReport({ engine: deps.engine, clock: systemClock, turns, observe });
}

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
    await closeDueDays(deps.engine, {
      signal,
      onDue: (days) => due.set(days),
      onDay: (built) => closed.inc(built.length),
    });
  }

  const built = new Counter({
    name: "sextant_running_days_built_total",
    help: "Builds of days of projects that still run.",
    registers,
  });

  async function buildNow(): Promise<void> {
    built.inc(await buildRunningDays(deps.engine, { signal }));
  }

  const unlessStopping = (cause: unknown) => {
    if (!signal.aborted) throw cause;
  };

  async function run(): Promise<void> {
    let sweepAtMs = systemClock.nowMs() + SWEEP_EVERY_MS;
    let buildAtMs = 0;
    while (!signal.aborted) {
      await tolerate(closeNow().catch(unlessStopping), deps.log, "days that are not closed are read from their events");
      // Not by the wall clock: when that is set back, builds have to be replaced soon.
      if (performance.now() >= buildAtMs) {
        const startedMs = performance.now();
        await tolerate(buildNow().catch(unlessStopping), deps.log, "days that run are read from their events");
        const tookMs = performance.now() - startedMs;
        buildAtMs = performance.now() + Math.max(RUNNING_EVERY_MS, tookMs / RUNNING_SHARE);
      }
      if (systemClock.nowMs() >= sweepAtMs) {
        const sweep = sweepBuilds(deps.engine, systemClock, deps.cluster, signal);
        await tolerate(sweep.catch(unlessStopping), deps.log, "the next sweep removes it");
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
