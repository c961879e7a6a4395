import type { AnalyticsEngine } from "../engines/port.ts";
import type { Job } from "../lib/job.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/time.ts";
import { MATERIALIZE_EVERY_MS, type MaterializePartitions } from "./materialize-partitions.ts";
import { type ProjectLimit, removeDeletedProjects, removeExpiredEvents, removeOldParked } from "./retention.ts";

interface WarehouseJobDeps {
  engine: AnalyticsEngine;
  materializePartitions: MaterializePartitions;
  /** Removes rows by their age, unless the clock is not trusted. */
  removals: { run(what: "events" | "parked_events", work: (nowMs: number) => Promise<number>): Promise<void> };
  /** What the control store says about projects. */
  listRetentionLimits(): Promise<readonly ProjectLimit[]>;
  listDeletedProjects(): Promise<readonly string[]>;
}

export function warehouseJobs(deps: WarehouseJobDeps): Job[] {
  const { engine, materializePartitions } = deps;
  return [
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
      once: true,
      run: ({ signal }) => engine.maintenance.collectGarbage(signal),
      whenFailed: "the next run collects it",
    },
    ...removalJobs(deps),
  ];
}

function removalJobs({ engine, removals, listRetentionLimits, listDeletedProjects }: WarehouseJobDeps): Job[] {
  return [
    {
      // Days end once a day, so an hour is soon enough, also for late events of removed days.
      name: "remove_expired_events",
      everyMs: HOUR_MS,
      share: 1,
      once: true,
      run: ({ signal }) =>
        removals.run("events", async (nowMs) =>
          removeExpiredEvents(engine, await listRetentionLimits(), { nowMs, signal }),
        ),
      whenFailed: "the next run removes the events",
    },
    {
      // Soon after the click, and again for events that were still in the log.
      name: "remove_deleted_projects",
      everyMs: 5 * MINUTE_MS,
      share: 1,
      once: true,
      run: async ({ signal }) => removeDeletedProjects(engine, await listDeletedProjects(), signal),
      whenFailed: "the next run removes the events",
    },
    {
      name: "remove_parked_events",
      everyMs: HOUR_MS,
      share: 1,
      once: true,
      run: ({ signal }) => removals.run("parked_events", (nowMs) => removeOldParked(engine, { nowMs, signal })),
      whenFailed: "the next run removes the parked events",
    },
  ];
}
