/**
 * THE list of background jobs: each room has its own. A worker runs all of them (run-jobs.ts), first at its start; where
 * nodes share a store, a job that one of them does for all rests after a restart as after any run. A job that deletes rows by their age runs through
 * `removals`: add its kind to RETAINED (control/retention.ts).
 */
import { accountJobs } from "../accounts/jobs.ts";
import { type AlertJobDeps, alertJobs } from "../alerts/jobs.ts";
import { metricJobs } from "../alerts/metric/jobs.ts";
import type { MetricJobDeps } from "../alerts/metric/run-due.ts";
import { controlJobs } from "../control/jobs.ts";
import type { Removals } from "../control/removals.ts";
import { listRealProjects } from "../control/report-projects.ts";
import { listDeletedProjects, listRetentionLimits } from "../control/retention.ts";
import type { ControlStore } from "../control/store.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import { formJobs } from "../forms/jobs.ts";
import { importJobs } from "../imports/jobs.ts";
import type { UploadFiles } from "../imports/upload-files.ts";
import type { Clock } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import type { WarnLog } from "../lib/tolerate.ts";
import { createWriteWallets } from "../profiles/write-wallets.ts";
import { providerJobs } from "../providers/jobs.ts";
import type { Provider } from "../providers/provider.ts";
import type { WantedWallets } from "../providers/wanted.ts";
import type { Reports } from "../query/run/ask.ts";
import { scheduleJobs } from "../schedules/jobs.ts";
import type { RunDueDeps } from "../schedules/run-due.ts";
import { warehouseJobs } from "../warehouse/jobs.ts";
import type { MaterializePartitions } from "../warehouse/materialize-partitions.ts";
import { webhookJobs } from "../webhooks/jobs.ts";

export interface JobDeps {
  store: ControlStore;
  engine: AnalyticsEngine;
  /** For waiting: setting the wall clock does not shorten a wait. */
  steady: Clock;
  removals: Removals;
  materializePartitions: MaterializePartitions;
  uploadFiles: UploadFiles;
  /** Wakes the delivery worker, because deliveries may be due. */
  wakeDelivery: () => void;
  /** Asks a report. */
  ask: Reports["ask"];
  clock: Clock;
  /** Pages of the dashboard, for messages. */
  pageUrl: AlertJobDeps["pageUrl"];
  observe: AlertJobDeps["observe"];
  metric: MetricJobDeps;
  /** Those of RPC_URLS. */
  providers: readonly Provider[];
  /** The wallets that people look at. */
  wanted: WantedWallets;
  /** Asks all that a scheduled report says. */
  gather: RunDueDeps["gather"];
  publicUrl: () => string;
  log: WarnLog;
}

/** Of which providers are asked about wallets: a statement has a limit. */
const MOST_PROJECTS = 1_000;

export function listJobs(deps: JobDeps): Job[] {
  const { store, steady } = deps;
  return [
    ...webhookJobs(deps),
    ...alertJobs(deps),
    ...metricJobs(deps.metric),
    ...scheduleJobs(deps),
    ...controlJobs(deps),
    ...accountJobs(deps),
    ...formJobs(deps),
    ...providerJobs({
      ...deps,
      writeWallets: createWriteWallets(deps.engine),
      nowMs: () => steady.nowMs(),
      listProjects: () => listRealProjects(store.read, MOST_PROJECTS),
    }),
    ...importJobs(deps),
    ...warehouseJobs({
      ...deps,
      listRetentionLimits: () => listRetentionLimits(store.read),
      listDeletedProjects: () => listDeletedProjects(store.read, steady.nowMs()),
    }),
  ];
}
