/**
 * THE list of background jobs. A worker runs all of them (run-jobs.ts), first at its start. Their code is in the
 * folders they come from. A job that deletes rows by their age runs through `remove`: add its kind to RETAINED
 * (control/retention.ts).
 */
import { purgeAudit } from "../accounts/audit.ts";
import { purgeSessions } from "../accounts/sessions.ts";
import { purgeIdempotencyRecords } from "../control/idempotency.ts";
import type { Removals } from "../control/removals.ts";
import { listDeletedProjects, listRetentionLimits, type Retained } from "../control/retention.ts";
import type { ControlStore } from "../control/store.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import { purgeSubmissions } from "../forms/submissions.ts";
import type { Clock } from "../lib/clock.ts";
import { HOUR_MS } from "../lib/time.ts";
import { MATERIALIZE_EVERY_MS, type MaterializePartitions } from "../warehouse/materialize-partitions.ts";
import { removeDeletedProjects, removeExpiredEvents, removeOldParked } from "../warehouse/retention.ts";
import { hurryMisdated, purgeDeletedWebhooks, purgeDeliveries, releaseLost } from "../webhooks/housekeeping.ts";
import type { Job, JobTurn } from "./run-jobs.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export interface JobDeps {
  store: ControlStore;
  engine: AnalyticsEngine;
  /** For waiting: setting the wall clock does not shorten a wait. */
  steady: Clock;
  removals: Removals;
  materializePartitions: MaterializePartitions;
  /** Wakes the delivery worker, because deliveries may be due. */
  wakeDelivery: () => void;
}

export function listJobs(deps: JobDeps): Job[] {
  const { store, engine, removals, materializePartitions } = deps;
  const remove = (what: Retained, work: (nowMs: number, turn: JobTurn) => Promise<number>): Job["run"] => {
    return (turn) => removals.run(what, (nowMs) => work(nowMs, turn));
  };
  return [
    ...deliveryJobs(deps),
    {
      name: "purge_idempotency_keys",
      everyMs: MINUTE_MS,
      share: 0.5,
      run: remove("idempotency", (nowMs, { rest }) => untilNothing(rest, () => purgeIdempotencyRecords(store, nowMs))),
      whenFailed: "the next run removes the keys",
    },
    {
      name: "purge_sessions",
      everyMs: 10 * MINUTE_MS,
      share: 0.5,
      run: remove("sessions", (nowMs, { rest }) => untilNothing(rest, () => purgeSessions(store, nowMs))),
      whenFailed: "the next run removes them; they are expired either way",
    },
    {
      name: "purge_audit_log",
      everyMs: HOUR_MS,
      share: 0.5,
      run: remove("audit_log", (nowMs, { rest }) => untilNothing(rest, () => purgeAudit(store, nowMs))),
      whenFailed: "the next run removes the entries",
    },
    {
      name: "purge_submissions",
      everyMs: MINUTE_MS,
      share: 0.5,
      run: remove("submissions", (nowMs, { rest }) => untilNothing(rest, () => purgeSubmissions(store, nowMs))),
      whenFailed: "the next run removes the submissions",
    },
    {
      // Often enough that a partition is clean soon after its day; listing partitions takes about 5 ms. The writer and
      // reports have priority.
      name: "materialize_partitions",
      everyMs: MATERIALIZE_EVERY_MS,
      share: 0.5,
      run: ({ signal, rest }) => materializePartitions(signal, rest),
      whenFailed: "reports read dirty partitions from their sessions",
    },
    {
      name: "collect_garbage",
      everyMs: 10 * MINUTE_MS,
      share: 1,
      run: ({ signal }) => engine.maintenance.collectGarbage(signal),
      whenFailed: "the next run collects it",
    },
    {
      // Days end once a day, so an hour is soon enough, also for late events of removed days.
      name: "remove_expired_events",
      everyMs: HOUR_MS,
      share: 1,
      run: remove("events", async (nowMs, { signal }) =>
        removeExpiredEvents(engine, await listRetentionLimits(store.read), { nowMs, signal }),
      ),
      whenFailed: "the next run removes the events",
    },
    {
      // Soon after the click, and again for events that were still in the log.
      name: "remove_deleted_projects",
      everyMs: 5 * MINUTE_MS,
      share: 1,
      run: async ({ signal }) => {
        await removeDeletedProjects(engine, await listDeletedProjects(store.read, deps.steady.nowMs()), signal);
      },
      whenFailed: "the next run removes the events",
    },
    {
      name: "remove_parked_events",
      everyMs: HOUR_MS,
      share: 1,
      run: remove("parked_events", (nowMs, { signal }) => removeOldParked(engine, { nowMs, signal })),
      whenFailed: "the next run removes the parked events",
    },
  ];
}

/** The jobs that maintain webhook deliveries. */
export function deliveryJobs(deps: Pick<JobDeps, "store" | "steady" | "removals" | "wakeDelivery">): Job[] {
  const { store, steady } = deps;
  return [
    {
      // A lease lasts 20 s; the deliveries of a dead node are found at most a second after it expires.
      name: "release_lost_deliveries",
      everyMs: SECOND_MS,
      share: 1,
      run: ({ rest }) =>
        untilNothing(rest, async () => {
          const released = await releaseLost(store, steady.nowMs());
          if (released > 0) deps.wakeDelivery();
          return released;
        }),
      whenFailed: "the next run releases them",
    },
    {
      name: "hurry_misdated_deliveries",
      everyMs: MINUTE_MS,
      share: 0.5,
      run: ({ rest }) => untilNothing(rest, () => hurryMisdated(store, steady.nowMs())),
      whenFailed: "the next run reschedules them",
    },
    {
      name: "purge_deleted_webhooks",
      everyMs: MINUTE_MS,
      share: 0.5,
      run: ({ rest }) => untilNothing(rest, () => purgeDeletedWebhooks(store)),
      whenFailed: "the next run removes them",
    },
    {
      // By the checked time: the steady clock keeps the time of a start with a wrong clock.
      name: "purge_deliveries",
      everyMs: MINUTE_MS,
      share: 0.5,
      run: ({ rest }) =>
        deps.removals.run("deliveries", (nowMs) => untilNothing(rest, () => purgeDeliveries(store, nowMs))),
      whenFailed: "the next run removes them",
    },
  ];
}

/** Repeats short steps until one finds nothing. Resolves with their sum. */
async function untilNothing(rest: () => Promise<void>, step: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let done = await step(); done > 0; done = await step()) {
    total += done;
    await rest();
  }
  return total;
}
