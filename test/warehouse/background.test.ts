import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { Registry } from "prom-client";
import { setRetention } from "../../src/control/retention.ts";
import { createProject, createWorkspace } from "../../src/control/tenants.ts";
import type { AnalyticsEngine, JsonAnswer, ReadOptions } from "../../src/engines/analytics.ts";
import { within } from "../../src/lib/within.ts";
import { startDayCloser } from "../../src/open-reports.ts";
import { startRetention } from "../../src/open-retention.ts";
import { createControl, quietLog } from "../support/control.ts";
import { waitFor } from "../support/wait.ts";

const EMPTY: JsonAnswer<never> = {
  ...{ meta: [], data: [], rows: 0 },
  statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 },
};

/** An engine that finds nothing, until it is asked for what `hangsOn` matches: that ends with the caller's patience alone. */
function createEngine(hangsOn: RegExp, onAnswer: () => void = () => undefined) {
  const seen = { hanging: 0 };
  const engine = {
    async selectJson(sql: string, options?: ReadOptions) {
      if (!hangsOn.test(sql)) {
        onAnswer();
        return EMPTY;
      }
      seen.hanging += 1;
      if (options?.signal?.aborted === false) await once(options.signal, "abort");
      else if (options?.signal === undefined) await new Promise(() => undefined);
      throw new Error("cut off");
    },
  } as unknown as AnalyticsEngine;
  return { engine, seen };
}

describe("a stop does not wait for an engine that is slow", () => {
  for (const hangsOn of [/event_days/, /parked_events/]) {
    test(`retention, at ${hangsOn}`, async (t) => {
      const control = await createControl("sqlite");
      t.after(control.drop);
      await control.store.write(async (tx) => {
        const workspace = await createWorkspace(tx, "W", 0);
        // Without a limit the events are not looked at, and the parked ones come first.
        if (hangsOn.source !== "event_days") return;
        await setRetention(tx, workspace.id, (await createProject(tx, workspace.id, "P", 0)).id, 7);
      });
      const observed: string[] = [];
      const observe = async (what: string) => void observed.push(what);
      const { engine, seen } = createEngine(hangsOn);
      const { store } = control;
      const retention = startRetention({ store, engine, cluster: undefined, observe, log: quietLog });
      await waitFor("the statement that hangs", () => seen.hanging === 1);
      await within(2_000, retention.stop());
      assert.equal(seen.hanging, 1, "nothing is begun after the stop");
      assert.ok(!observed.includes("parked_events"), "what was not done is not told as done");
    });
  }

  test("the sweep of builds", async (t) => {
    t.mock.timers.enable({ apis: ["Date"] });
    const { engine, seen } = createEngine(/AS stale/, () => t.mock.timers.tick(11 * 60_000));
    const closer = startDayCloser({ engine, cluster: undefined, registry: new Registry(), log: quietLog });
    await waitFor("the sweep", () => seen.hanging === 1);
    await within(2_000, closer.stop());
  });
});
