import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { startLocalEngine } from "../support/local-engine.ts";
import { askMarch, materializeAll, startReports, storeVisits, type Visit } from "../support/visits.ts";

/** One visitor comes every day. Two days are clean, and a third is dirty. */
const CLEAN: readonly Visit[] = [
  ["2026-03-01", "ada"],
  ["2026-03-02", "ada"],
  ["2026-03-02", "bob"],
];
const DIRTY: readonly Visit[] = [
  ["2026-03-03", "ada"],
  ["2026-03-03", "eve"],
];

const QUESTIONS = [
  ["top_sources", {}],
  ["top_chains", {}],
  ["revenue_by_metric", { metric_column: "event" }],
] as const;

describe("a rebuild", () => {
  test("changes no report, while it runs and afterwards", async () => {
    const { engine, stop } = await startLocalEngine();
    try {
      await storeVisits(engine, CLEAN);
      await materializeAll(engine);
      await storeVisits(engine, DIRTY);
      const run = startReports(engine);
      const askAll = () => Promise.all(QUESTIONS.map(([name, query]) => askMarch(run, name, query)));
      const expected = await askAll();
      assert.match(JSON.stringify(expected), /"visitors":3.*"sum_revenue":5/);
      let isDone = false;
      let asked = 0;
      const rebuilding = engine.maintenance
        .rebuild(() => undefined, new AbortController().signal)
        .finally(() => {
          isDone = true;
        });
      while (!isDone) {
        assert.deepEqual(await askAll(), expected);
        asked += 1;
        // A kept answer comes without one turn of the event loop, which the rebuild needs.
        await setImmediate();
      }
      await rebuilding;
      assert.ok(asked > 0);
      assert.deepEqual(await askAll(), expected);
      await materializeAll(engine);
      assert.deepEqual(await askAll(), expected);
    } finally {
      await stop();
    }
  });
});
