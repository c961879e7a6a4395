import { Registry } from "prom-client";
import { createAlertMetrics } from "../../alerts/metrics.ts";
import { createPageUrl } from "../../alerts/page-url.ts";
import { createRunOnce } from "../../control/leases.ts";
import { createRemovals } from "../../control/removals.ts";
import { listProjectsWithoutBots } from "../../control/report-projects.ts";
import { createFindSegment } from "../../control/segments.ts";
import type { ControlStore } from "../../control/store.ts";
import type { AnalyticsEngine } from "../../engines/port.ts";
import type { UploadFiles } from "../../imports/upload-files.ts";
import { systemClock } from "../../lib/clock.ts";
import { createSteadyClock } from "../../lib/steady-clock.ts";
import { MINUTE_MS } from "../../lib/time.ts";
import type { WarnLog } from "../../lib/tolerate.ts";
import { createReports } from "../../query/run/ask.ts";
import { createRunReport } from "../../query/run/run-report.ts";
import { createQuerySlots } from "../../query/run/slots.ts";
import { createLedgerMetrics } from "../../warehouse/ledger-metrics.ts";
import { createMaterializePartitions } from "../../warehouse/materialize-partitions.ts";
import type { AddressPolicy } from "../../webhooks/address-guard.ts";
import { startDelivery } from "../../webhooks/delivery.ts";
import { listJobs } from "../jobs.ts";
import { runJobs } from "../run-jobs.ts";
import type { MetricQuestions } from "./metric-alerts.ts";
import type { OpenedRole } from "./role.ts";

export interface WorkerRole extends OpenedRole {
  /** Call when there is a new delivery. */
  wakeDelivery(): void;
}

/** Jobs have slots of their own: they take none from people, and ask one report of a workspace at a time. */
const JOB_SLOTS = { running: 1, waiting: 100, waitMs: MINUTE_MS };

/** Delivers webhooks and runs the background jobs (jobs.ts). */
export async function openWorker(deps: {
  store: ControlStore;
  secret: Buffer;
  engine: AnalyticsEngine;
  policy: AddressPolicy;
  version: string;
  /** Where people open the dashboard; empty if it is not set. */
  publicUrl: string;
  metricAlerts: MetricQuestions;
  /** The clocks of stores on other machines. */
  clocks: readonly (() => Promise<number>)[];
  uploadFiles: UploadFiles;
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
    materializePartitions: createMaterializePartitions({
      engine,
      clock: systemClock,
      registry: metrics,
      listWithoutBots: () => listProjectsWithoutBots(store.read),
    }),
    uploadFiles: deps.uploadFiles,
    wakeDelivery: delivery.wake,
    clock: systemClock,
    pageUrl: createPageUrl(() => deps.publicUrl),
    observe: createAlertMetrics(metrics),
    metric: {
      ...deps.metricAlerts,
      pageUrl: createPageUrl(() => deps.publicUrl),
      wakeDelivery: delivery.wake,
    },
    ask: createReports({
      runReport: createRunReport({ engine, clock: systemClock, slots: createQuerySlots(JOB_SLOTS) }),
      findSegment: createFindSegment(store.read),
      clock: systemClock,
    }).ask,
  });
  const jobs = runJobs(list, { registry: metrics, log, runOnce: createRunOnce({ store, steady }) });
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
