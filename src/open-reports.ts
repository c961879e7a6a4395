import { setTimeout as delay } from "node:timers/promises";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { AnalyticsEngine } from "./engines/port.ts";
import { systemClock } from "./lib/clock.ts";
import { tolerate, type WarnLog } from "./lib/tolerate.ts";
import { createRunReport, type RunReport } from "./query/run.ts";
import { createQuerySlots, type SlotLimits } from "./query/slots.ts";

/** Often enough that a partition is materialized soon after it is over; the list takes about 5 ms. */
const LIST_EVERY_MS = 30_000;
const COLLECT_EVERY_MS = 10 * 60_000;
/** After each day of work as much rest: the writer and reports go first. */
const PAUSE_PER_WORK = 1;
const MOST_PAUSE_MS = 1_000;

/** How reports are answered, with a measure of each. */
export function openReports(deps: { engine: AnalyticsEngine; limits: SlotLimits; registry: Registry }): RunReport {
  const registers = [deps.registry];
  const slots = createQuerySlots(deps.limits);
  const seconds = new Histogram({
    name: "sextant_report_seconds",
    help: "Time of reports, their wait for a slot included, by how they ended: answered, abandoned, limited or failed.",
    labelNames: ["report", "outcome"],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const gauges: [string, string, () => number][] = [
    ["sextant_reports_running", "Reports that run now.", () => slots.count().running],
    ["sextant_reports_waiting", "Reports that wait for a query slot.", () => slots.count().waiting],
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
  return createRunReport({ engine: deps.engine, clock: systemClock, slots, observe });
}

export interface Materializer {
  stop(): Promise<void>;
}

/** Materializes partitions for as long as the service runs. What fails is tried again: a dirty partition is only slower to report. */
export function startMaterializer(deps: { engine: AnalyticsEngine; registry: Registry; log: WarnLog }): Materializer {
  const { maintenance } = deps.engine;
  const stopping = new AbortController();
  const { signal } = stopping;
  const registers = [deps.registry];
  const materialized = new Counter({
    name: "sextant_partitions_materialized_total",
    help: "Partitions (a project's UTC day) whose rollups were built.",
    registers,
  });
  const dirty = new Gauge({
    name: "sextant_partitions_dirty",
    help: "Partitions that are over and wait for their rollups.",
    registers,
  });

  /** Those of one day together, oldest first: the visitors of a day are counted by when they were last seen. */
  async function materializeDue(): Promise<void> {
    const due = await maintenance.listDirty(systemClock.nowMs());
    dirty.set(due.length);
    let left = due.length;
    for (const ofDay of Map.groupBy(due, ({ day }) => day).values()) {
      signal.throwIfAborted();
      const startedMs = performance.now();
      const clean = await maintenance.materialize(ofDay, signal);
      materialized.inc(clean.length);
      left -= clean.length;
      dirty.set(left);
      await delay(Math.min(MOST_PAUSE_MS, (performance.now() - startedMs) * PAUSE_PER_WORK), undefined, { signal });
    }
  }

  const unlessStopping = (cause: unknown) => {
    if (!signal.aborted) throw cause;
  };

  async function run(): Promise<void> {
    let collectAtMs = performance.now() + COLLECT_EVERY_MS;
    while (!signal.aborted) {
      await tolerate(materializeDue().catch(unlessStopping), deps.log, "dirty partitions are read from their sessions");
      if (performance.now() >= collectAtMs) {
        const collected = maintenance.collectGarbage(signal).catch(unlessStopping);
        await tolerate(collected, deps.log, "the next garbage collection removes it");
        collectAtMs = performance.now() + COLLECT_EVERY_MS;
      }
      await delay(LIST_EVERY_MS, undefined, { signal }).catch(() => undefined);
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
