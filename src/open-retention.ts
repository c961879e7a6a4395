import { setTimeout as delay } from "node:timers/promises";
import { Counter, Gauge, type Registry } from "prom-client";
import { purgeExpiredKeys } from "./control/idempotency.ts";
import { listRetentionLimits, RETAINED, type Retained, recordRun } from "./control/retention.ts";
import type { ControlStore } from "./control/store.ts";
import type { AnalyticsEngine } from "./engines/port.ts";
import { purgeSubmissions } from "./forms/submissions.ts";
import { systemClock } from "./lib/clock.ts";
import { tolerate, type WarnLog } from "./lib/tolerate.ts";
import { removeExpiredEvents, removeOldParked } from "./warehouse/retention.ts";

const CONTROL_EVERY_MS = 60_000;
/** Days end once a day; an hour is soon enough for them, and for late events of days that are gone. */
const WAREHOUSE_EVERY_MS = 3_600_000;

/** Tells people what was removed: in the metrics of this process and, for `sextant retention`, in the control store. */
export type ObserveRemoval = (what: Retained, removed: number) => Promise<void>;

export function createRemovalObserver(store: ControlStore, registry: Registry, log: WarnLog): ObserveRemoval {
  const labelNames = ["what"] as const;
  const registers = [registry];
  const total = new Counter({
    name: "sextant_retention_removed_total",
    help: "Rows that were removed because their time was over.",
    labelNames,
    registers,
  });
  const ranAt = new Gauge({
    name: "sextant_retention_last_run_timestamp_seconds",
    help: "When what is no longer kept was last looked for.",
    labelNames,
    registers,
  });
  for (const what of RETAINED) total.inc({ what }, 0);
  return async (what, removed) => {
    const nowMs = systemClock.nowMs();
    total.inc({ what }, removed);
    ranAt.set({ what }, nowMs / 1000);
    const run = { what, ranAtMs: nowMs, removed };
    await tolerate(recordRun(store, run), log, "the next run is recorded");
  };
}

/** Removes what nobody keeps any more, for as long as the service runs. Deliveries are the webhook housekeeper's own. */
export function startRetention(deps: {
  store: ControlStore;
  engine: AnalyticsEngine;
  observe: ObserveRemoval;
  log: WarnLog;
}): { stop(): Promise<void> } {
  const { store, engine, observe, log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function removeAs(what: Retained, remove: () => Promise<number>): Promise<void> {
    if (signal.aborted) return;
    const run = async () => observe(what, await remove());
    const unlessStopping = (cause: unknown) => {
      if (!signal.aborted) throw cause;
    };
    await tolerate(run().catch(unlessStopping), log, "the next run removes what this one left");
  }

  async function every(ms: number, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await work();
      await delay(ms, undefined, { signal }).catch(() => undefined);
    }
  }

  const running = Promise.all([
    every(CONTROL_EVERY_MS, async () => {
      await removeAs("idempotency", () => purgeExpiredKeys(store, systemClock.nowMs()));
      await removeAs("submissions", () => purgeSubmissions(store, systemClock.nowMs()));
    }),
    every(WAREHOUSE_EVERY_MS, async () => {
      const options = { nowMs: systemClock.nowMs(), signal };
      await removeAs("events", async () => removeExpiredEvents(engine, await listRetentionLimits(store.read), options));
      await removeAs("parked_events", () => removeOldParked(engine, options));
    }),
  ]);
  return {
    async stop() {
      stopping.abort(new Error("stopping"));
      await running;
    },
  };
}
