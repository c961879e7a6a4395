import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { firstKeptDay } from "../../src/materialize/kept-days.ts";
import { questionOf } from "../../src/query/testing.ts";
import { selectNumber, startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";
import { askMarch, materializeAll, startReports, storeVisits } from "../support/visits.ts";

const MIDNIGHT_MS = Date.parse("2026-03-05T00:00:00Z");
/** Keeps 3 and 4 March at that midnight. */
const KEPT_DAYS = 2;
const FILTERS = JSON.stringify([{ field: "type", op: "eq", value: "page" }]);

describe("days beyond a project's retention", () => {
  let warehouse: TestLocalEngine;
  let engine: AnalyticsEngine;
  beforeEach(async () => {
    warehouse = await startLocalEngine({ nowMs: () => MIDNIGHT_MS });
    engine = warehouse.engine;
    await storeVisits(engine, [
      ["2026-03-01", "ada"],
      ["2026-03-02", "bob"],
      ["2026-03-02", "eve"],
      ["2026-03-03", "bob"],
      ["2026-03-03", "eve"],
      ["2026-03-04", "bob"],
    ]);
    await materialize();
  });
  afterEach(() => warehouse.stop());

  const materialize = () => materializeAll(engine, MIDNIGHT_MS);
  const remove = () =>
    engine.maintenance.removeBefore(
      [{ projectId: "p", firstDay: firstKeptDay(KEPT_DAYS, MIDNIGHT_MS) }],
      new AbortController().signal,
    );

  /** Sessions and visitors, equal in every report that counts them. */
  async function expectCounts(sessions: number, visitors: number, retentionDays: number | null, when: string) {
    const run = startReports(engine, { nowMs: () => MIDNIGHT_MS });
    const source = { project_id: "p", referrer: "Direct", hits: sessions, sessions, visitors };
    const chain = { project_id: "p", chain_id: "1", sessions, visitors };
    for (const query of [{}, { filters: FILTERS }]) {
      const about = `${when}, ${JSON.stringify(query)}`;
      assert.deepEqual(await askMarch(run, "top_sources", query, retentionDays), [source], about);
      assert.deepEqual(await askMarch(run, "top_chains", query, retentionDays), [chain], about);
    }
    const revenue = [{ project_id: "p", event: "Buy", sum_revenue: sessions }];
    const byEvent = await askMarch(run, "revenue_by_metric", { metric_column: "event" }, retentionDays);
    assert.deepEqual(byEvent, revenue, when);
  }

  test("are in no report before, during and after their removal, also with late events", async () => {
    await expectCounts(6, 3, null, "without a limit");
    await expectCounts(3, 2, KEPT_DAYS, "before the removal");
    let isRemoved = false;
    const removing = remove().finally(() => {
      isRemoved = true;
    });
    while (!isRemoved) {
      await expectCounts(3, 2, KEPT_DAYS, "while they are removed");
      // A kept answer comes without one turn of the event loop, which the removal needs.
      await setImmediate();
    }
    assert.equal(await removing, 3);
    await expectCounts(3, 2, KEPT_DAYS, "after the removal");
    await storeVisits(engine, [["2026-03-01", "zoe"]]);
    await expectCounts(3, 2, KEPT_DAYS, "with a late event");
    await materialize();
    await expectCounts(3, 2, KEPT_DAYS, "with a late event, clean");
  });

  test("leave other days exact when the limit is lifted and late events from before them arrive", async () => {
    await remove();
    await expectCounts(3, 2, null, "lifted");
    // A new visitor, and one who was seen on the removed day and later.
    await storeVisits(engine, [
      ["2026-03-01", "zoe"],
      ["2026-03-01", "bob"],
    ]);
    await expectCounts(5, 3, null, "with late events");
    await materialize();
    await expectCounts(5, 3, null, "clean");
    await storeVisits(engine, [["2026-03-01", "kim"]]);
    await expectCounts(6, 4, null, "with a late event again");
    await materialize();
    await expectCounts(6, 4, null, "clean again");
  });

  test("are in no report that asks about other projects, too, which keep them", async () => {
    await storeVisits(engine, [["2026-03-01", "max"]], "q");
    const run = startReports(engine, { nowMs: () => MIDNIGHT_MS });
    const limits = [{ id: "p", retentionDays: KEPT_DAYS }] as const;
    const projects = [...limits, { id: "q", retentionDays: null }].map((one) => ({ ...one, excludeBots: false }));
    const reports = ["top_sources", "top_chains", "top_pages", "top_events", "breakdown"] as const;
    for (const when of ["dirty", "clean"]) {
      if (when === "clean") await materialize();
      for (const name of reports)
        for (const more of [{}, { filters: FILTERS }]) {
          const query = { date_from: "2026-03-01", date_to: "2026-03-02", limit: 50, offset: 0, ...more };
          const given = { ...query, ...(name === "breakdown" && { metric_column: "device" }) };
          const ask = (asked: typeof projects) =>
            run(name, { workspaceId: "w", projects: asked }, questionOf(name, given), new AbortController().signal);
          const about = `${name}, ${when}, ${JSON.stringify(given)}`;
          const { data } = await ask(projects);
          assert.deepEqual(data, (await ask(projects.slice(1))).data, about);
          assert.notEqual(data.length, 0, about);
        }
    }
  });

  test("leave no events behind", async () => {
    await remove();
    for (const table of ["events", "sessions", "rollups"])
      assert.equal(await selectNumber(engine, `SELECT count() AS n FROM ${table} WHERE day < DATE '2026-03-03'`), 0);
    assert.equal(await selectNumber(engine, "SELECT count() AS n FROM events"), 3);
  });
});
