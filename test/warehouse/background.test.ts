import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { Registry } from "prom-client";
import { setRetention } from "../../src/control/retention.ts";
import { createProject, createWorkspace } from "../../src/control/tenants.ts";
import type { AnalyticsEngine, Maintenance } from "../../src/engines/port.ts";
import { within } from "../../src/lib/within.ts";
import { startMaterializer } from "../../src/open-reports.ts";
import { startRetention } from "../../src/open-retention.ts";
import { createControl, quietLog } from "../support/control.ts";
import { waitFor } from "../support/wait.ts";

/** An engine with one dirty partition, whose method `hangsOn` ends with the caller's patience alone. */
function createEngine(hangsOn: keyof Maintenance) {
  const seen = { hanging: 0 };
  const hang = async (...given: unknown[]) => {
    seen.hanging += 1;
    const signal = given.at(-1) as AbortSignal;
    if (!signal.aborted) await once(signal, "abort");
    throw new Error("cut off");
  };
  const maintenance = {
    listDirty: async () => [{ project_id: "p", day: "2026-03-10" }],
    removeBefore: async () => 0,
    removeParkedBefore: async () => 0,
    [hangsOn]: hang,
  };
  return { engine: { maintenance } as unknown as AnalyticsEngine, seen };
}

describe("a stop does not wait for an engine that is slow", () => {
  for (const hangsOn of ["removeBefore", "removeParkedBefore"] as const) {
    test(`retention, at ${hangsOn}`, async (t) => {
      const control = await createControl("sqlite");
      t.after(control.drop);
      await control.store.write(async (tx) => {
        const workspace = await createWorkspace(tx, "W", 0);
        await setRetention(tx, workspace.id, (await createProject(tx, workspace.id, "P", 0)).id, 7);
      });
      const observed: string[] = [];
      const observe = async (what: string) => void observed.push(what);
      const { engine, seen } = createEngine(hangsOn);
      const retention = startRetention({ store: control.store, engine, observe, log: quietLog });
      await waitFor("the call that hangs", () => seen.hanging === 1);
      await within(2_000, retention.stop());
      assert.equal(seen.hanging, 1, "nothing is begun after the stop");
      assert.ok(!observed.includes("parked_events"), "what was not done is not told as done");
    });
  }

  test("the materializer", async () => {
    const { engine, seen } = createEngine("materialize");
    const materializer = startMaterializer({ engine, registry: new Registry(), log: quietLog });
    await waitFor("the partition that hangs", () => seen.hanging === 1);
    await within(2_000, materializer.stop());
    assert.equal(seen.hanging, 1);
  });
});
