import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { REPORT_NAMES } from "../../src/contract/reports.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { SEED, sampled } from "../../src/lib/testing.ts";
import { dayOf } from "../../src/lib/time.ts";
import { firstKeptDay } from "../../src/materialize/kept-days.ts";
import { questionOf } from "../../src/query/testing.ts";
import { selectNumber, startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";
import { askMarch, materializeAll, startReports, storeVisits } from "../support/visits.ts";
import { createRandom, generateEvents } from "./generate.ts";
import { queryOf, statesOf } from "./shapes.ts";
import { toRow } from "./store-rows.ts";

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

test("a project that keeps some days has the rows of one that never had the others, in every report and beside a third", async (t) => {
  const random = createRandom(SEED);
  const { engine, stop } = await startLocalEngine({ nowMs: () => MIDNIGHT_MS });
  t.after(stop);
  const days = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
  // Each message once, and no two at the same time: which of them is the first depends on the project's id, too.
  const eventsOf = (project: string) => {
    const events = generateEvents(random, { projects: [project], days, count: 200, poolSize: 8 });
    return [...new Map(events.map((event) => [event.message_id, event])).values()].map((event, nth) => {
      const timestamp = Math.floor(event.timestamp / 1000) * 1000 + nth;
      return { ...event, timestamp, day: dayOf(timestamp) };
    });
  };
  const all = eventsOf("p");
  const kept = all.filter(({ day }) => day >= firstKeptDay(KEPT_DAYS, MIDNIGHT_MS));
  const same = kept.map((event) => ({ ...event, project_id: "same" }));
  for (const events of [all, same, eventsOf("q")]) await engine.importRows("events", events.map(toRow));
  const run = startReports(engine, { nowMs: () => MIDNIGHT_MS });
  for (const when of ["dirty", "clean"]) {
    if (when === "clean") await materializeAll(engine, MIDNIGHT_MS);
    for (const name of sampled(REPORT_NAMES, 10)) {
      const states = Object.values(statesOf(name));
      for (const state of sampled(states, 1))
        for (const date_to of ["2026-03-04", "2026-03-02"]) {
          const query = { ...queryOf(name, state), limit: 1000, date_from: "2026-03-01", date_to };
          if (name === "revenue_timeseries") query.limit = 50;
          const question = questionOf(name, query, MIDNIGHT_MS);
          const ask = async (id: string, retentionDays: number | null) => {
            const others = { id: "q", excludeBots: false, retentionDays: null };
            const projects = [{ id, excludeBots: state.excludeBots ?? false, retentionDays }, others];
            const { data } = await run(name, { workspaceId: "w", projects }, question, new AbortController().signal);
            return data.map((row) => JSON.stringify(row).replaceAll('"same"', '"p"')).sort();
          };
          assert.deepEqual(
            await ask("p", KEPT_DAYS),
            await ask("same", null),
            `${name}, ${when}, ${JSON.stringify(query)}`,
          );
        }
    }
  }
});
