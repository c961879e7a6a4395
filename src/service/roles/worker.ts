import { Registry } from "prom-client";
import { createRemovals } from "../../control/removals.ts";
import type { ControlStore } from "../../control/store.ts";
import type { AnalyticsEngine } from "../../engines/port.ts";
import { systemClock } from "../../lib/clock.ts";
import { createSteadyClock } from "../../lib/steady-clock.ts";
import type { WarnLog } from "../../lib/tolerate.ts";
import { createLedgerMetrics } from "../../warehouse/ledger-metrics.ts";
import { createMaterializePartitions } from "../../warehouse/materialize-partitions.ts";
import type { AddressPolicy } from "../../webhooks/address-guard.ts";
import { startDelivery } from "../../webhooks/delivery.ts";
import { listJobs } from "../jobs.ts";
import { runJobs } from "../run-jobs.ts";
import type { OpenedRole } from "./role.ts";

export interface WorkerRole extends OpenedRole {
  /** Call when there is a new delivery. */
  wakeDelivery(): void;
}

/** Delivers webhooks and runs the background jobs (jobs.ts). */
export async function openWorker(deps: {
  store: ControlStore;
  secret: Buffer;
  engine: AnalyticsEngine;
  policy: AddressPolicy;
  version: string;
  /** The clocks of stores on other machines. */
  clocks: readonly (() => Promise<number>)[];
  log: WarnLog;
}): Promise<WorkerRole> {
  const { store, engine, log } = deps;
  const metrics = new Registry();
  const steady = createSteadyClock(systemClock);
  const delivery = await startDelivery({ ...deps, steady, registry: metrics });
  const ledger = createLedgerMetrics({ engine, registry: metrics, log });
  const list = listJobs({
    store,
    engine,
    steady,
    removals: createRemovals({ store, clock: systemClock, clocks: deps.clocks, registry: metrics, log }),
    materializePartitions: createMaterializePartitions({ engine, clock: systemClock, registry: metrics }),
    wakeDelivery: delivery.wake,
  });
  const jobs = runJobs(list, { registry: metrics, log });
  return {
    metrics,
    checks: [],
    wakeDelivery: delivery.wake,
    async close() {
      ledger.stop();
      await jobs.stop();
      await delivery.stop();
    },
  };
}
