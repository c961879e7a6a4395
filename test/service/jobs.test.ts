import assert from "node:assert/strict";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Registry } from "prom-client";
import type { MetricJobDeps } from "../../src/alerts/metric/run-due.ts";
import { createAlertMetrics } from "../../src/alerts/metrics.ts";
import { createRunOnce } from "../../src/control/leases.ts";
import type { Removals } from "../../src/control/removals.ts";
import { setRetention } from "../../src/control/retention.ts";
import { createProject, createWorkspace } from "../../src/control/tenants.ts";
import type { AnalyticsEngine, Maintenance } from "../../src/engines/port.ts";
import { createUploadFiles } from "../../src/imports/upload-files.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { newId } from "../../src/lib/ids.ts";
import { withTimeout } from "../../src/lib/timeout.ts";
import { createWantedWallets } from "../../src/providers/wanted.ts";
import { listJobs } from "../../src/service/jobs.ts";
import { runJobs } from "../../src/service/run-jobs.ts";
import { createMaterializePartitions } from "../../src/warehouse/materialize-partitions.ts";
import { createControl, quietLog } from "../support/control.ts";
import { waitFor } from "../support/wait.ts";

/** An engine with one dirty partition, whose method `hangsOn` ends only on abort. */
function createEngine(hangsOn: keyof Maintenance) {
  const seen = { hanging: 0 };
  const hang = async (...given: unknown[]) => {
    seen.hanging += 1;
    const signal = given.at(-1) as AbortSignal;
    if (!signal.aborted) await once(signal, "abort");
    throw new Error("cut off");
  };
  const maintenance = {
    rebuildOutdated: async () => undefined,
    listDirty: async () => [{ project_id: "p", day: "2026-03-10", without_bots: false, group: 0 }],
    rollUpHours: async () => 0,
    removeBefore: async () => 0,
    removeParkedBefore: async () => 0,
    collectGarbage: async () => undefined,
    materialize: async (partitions: unknown[]) => partitions,
    [hangsOn]: hang,
  };
  return { engine: { maintenance } as unknown as AnalyticsEngine, seen };
}

const RECORDED = {
  removeBefore: "events",
  removeParkedBefore: "parked_events",
  rebuildOutdated: undefined,
  materialize: undefined,
} as const;

const NO_PROVIDERS = { providers: [], wanted: createWantedWallets() };

describe("a stop does not wait for a slow engine", () => {
  for (const hangsOn of ["removeBefore", "removeParkedBefore", "rebuildOutdated", "materialize"] as const) {
    test(`at ${hangsOn}`, async (t) => {
      const control = await createControl("sqlite");
      t.after(control.drop);
      await control.store.write(async (tx) => {
        const workspace = await createWorkspace(tx, "W", 0);
        await setRetention(tx, workspace.id, (await createProject(tx, workspace.id, "P", 0)).id, 7);
      });
      const recorded: string[] = [];
      const removals: Removals = {
        async run(what, work) {
          await work(Date.now());
          recorded.push(what);
        },
      };
      const { engine, seen } = createEngine(hangsOn);
      const registry = new Registry();
      const materializePartitions = createMaterializePartitions({
        engine,
        clock: systemClock,
        registry,
        listWithoutBots: async () => [],
      });
      const ask = () => Promise.reject(new Error("no job asks a report"));
      const uploadFiles = createUploadFiles({ dir: join(tmpdir(), newId("none")), maxBytes: 0, reserveBytes: 0 });
      const given = { store: control.store, engine, steady: systemClock, removals };
      const metric = { store: control.store, clock: systemClock } as MetricJobDeps;
      const deps = { ...given, uploadFiles, materializePartitions, ask, metric };
      const ofAlerts = { clock: systemClock, pageUrl: () => undefined, observe: createAlertMetrics(registry) };
      const ofSchedules = { gather: ask, publicUrl: () => "", log: quietLog };
      const jobs = runJobs(
        listJobs({ ...deps, ...ofAlerts, ...ofSchedules, ...NO_PROVIDERS, wakeDelivery: () => undefined }),
        {
          registry,
          log: quietLog,
          runOnce: createRunOnce({ store: control.store, steady: systemClock }),
        },
      );
      await waitFor("the call that hangs", () => seen.hanging === 1);
      await withTimeout(30_000, jobs.stop());
      assert.equal(seen.hanging, 1, "nothing is begun after the stop");
      assert.ok(!recorded.some((what) => what === RECORDED[hangsOn]), "what was not done is not recorded as done");
    });
  }
});
