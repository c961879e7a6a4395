import { Registry } from "prom-client";
import { createAlertMetrics } from "../../alerts/metrics.ts";
import { createPageUrl } from "../../alerts/page-url.ts";
import { createRunOnce } from "../../control/leases.ts";
import { createRemovals } from "../../control/removals.ts";
import { listProjectsWithoutBots } from "../../control/report-projects.ts";
import type { ControlStore } from "../../control/store.ts";
import type { AnalyticsEngine } from "../../engines/port.ts";
import type { UploadFiles } from "../../imports/upload-files.ts";
import { systemClock } from "../../lib/clock.ts";
import { createSteadyClock } from "../../lib/steady-clock.ts";
import type { WarnLog } from "../../lib/tolerate.ts";
import type { Provider } from "../../providers/provider.ts";
import type { WantedWallets } from "../../providers/wanted.ts";
import type { AnswerThread } from "../../query/sql/answer-thread.ts";
import { createLedgerMetrics } from "../../warehouse/ledger-metrics.ts";
import { createMaterializePartitions } from "../../warehouse/materialize-partitions.ts";
import type { AddressPolicy } from "../../webhooks/address-guard.ts";
import { startDelivery } from "../../webhooks/delivery.ts";
import { listJobs } from "../jobs.ts";
import { runJobs } from "../run-jobs.ts";
import { createJobQuestions } from "./job-questions.ts";
import type { OpenedMail } from "./mail.ts";
import type { MetricQuestions } from "./metric-alerts.ts";
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
  /** Where people open the dashboard; empty until the servers listen. */
  publicUrl: () => string;
  /** Undefined where no mail is sent. Its opener closes it. */
  mail: OpenedMail | undefined;
  sqlTimeoutMs: number;
  thread: AnswerThread;
  metricAlerts: MetricQuestions;
  /** The clocks of stores on other machines. */
  clocks: readonly (() => Promise<number>)[];
  providers: readonly Provider[];
  wanted: WantedWallets;
  uploadFiles: UploadFiles;
  log: WarnLog;
}): Promise<WorkerRole> {
  const { store, engine, log } = deps;
  const metrics = new Registry();
  const steady = createSteadyClock(systemClock);
  const sending = deps.mail === undefined ? {} : { sendMail: deps.mail.sendMail };
  const delivery = await startDelivery({ ...deps, ...sending, steady, registry: metrics });
  const ledger = createLedgerMetrics({ engine, registry: metrics, log });
  const list = listJobs({
    store,
    engine,
    steady,
    providers: deps.providers,
    wanted: deps.wanted,
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
    pageUrl: createPageUrl(deps.publicUrl),
    publicUrl: deps.publicUrl,
    log,
    observe: createAlertMetrics(metrics),
    metric: {
      ...deps.metricAlerts,
      pageUrl: createPageUrl(deps.publicUrl),
      wakeDelivery: delivery.wake,
    },
    ...createJobQuestions(deps),
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
