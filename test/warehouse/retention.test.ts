import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type AnalyticsEngine, connectAnalytics } from "../../src/engines/analytics.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY_MS, dayOf } from "../../src/lib/time.ts";
import { closeDueDays } from "../../src/warehouse/close-days.ts";
import { createDayBook } from "../../src/warehouse/day-book.ts";
import { migrateWarehouse } from "../../src/warehouse/migrate.ts";
import { removeExpiredEvents, removeOldParked } from "../../src/warehouse/retention.ts";
import { startTestEngine, type TestEngine } from "../support/engine.ts";
import { selectNumber } from "../support/warehouse.ts";

const NOW_MS = Date.parse("2026-03-10T12:00:00Z");
const TABLES = ["events", "sessions", "revenue_events", "chain_visitors", "rollups", "event_days"];

let host: TestEngine;
let engine: AnalyticsEngine;
before(async () => {
  host = await startTestEngine();
  const { username, password } = host.engine;
  engine = connectAnalytics({ url: () => host.engine.url(), username, password, database: "sextant" });
  await migrateWarehouse(engine, { database: "sextant" });
});
after(async () => {
  await engine.close();
  await host.stop();
});

/** A visit with revenue of each project on each day; `keyDay` is what the client's clock said. */
async function store(projects: readonly string[], days: readonly string[], keyDay?: string): Promise<void> {
  const rows = projects.flatMap((project_id) =>
    days.map((day) => ({
      ...{ project_id, day: keyDay ?? day, message_id: `${project_id} ${day}`, timestamp: Date.parse(day), first: 1 },
      ...{ type: "page", anonymous_id: "ada", chain_id: "1", revenue: 1 },
    })),
  );
  const named = rows.map(({ project_id, day, timestamp }) => ({
    project_id,
    day: new Date(timestamp).toISOString().slice(0, 10),
    key_day: day,
  }));
  await createDayBook(engine, systemClock).open(named);
  await engine.insert({ table: "events", body: Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n")) });
}

async function daysOf(table: string, project: string): Promise<string[]> {
  const day = table === "events" ? "toDate(timestamp)" : "day";
  const { data } = await engine.selectJson<{ d: string }>(
    `SELECT DISTINCT toString(${day}) AS d FROM ${table} WHERE project_id = {project:String} ORDER BY d`,
    { params: { project } },
  );
  return data.map(({ d }) => d);
}

const partsOf = (table: string, month: number) =>
  selectNumber(
    engine,
    `SELECT count() AS n FROM system.parts WHERE database = 'sextant' AND table = '${table}' AND partition_id = '${month}' AND active`,
  );
const remove = (limits: { projectId: string; days: number }[], settleS = -1e9) =>
  removeExpiredEvents(engine, limits, { nowMs: NOW_MS, settleS });

describe("retention of events", () => {
  test("days beyond a project's limit go from every table, other projects and days stay", async () => {
    await store(["short", "long", "free"], ["2026-01-05", "2026-03-02", "2026-03-03", "2026-03-09"]);
    await closeDueDays(engine, { settleS: 0 });
    const removed = await remove([
      { projectId: "short", days: 7 },
      { projectId: "long", days: 30 },
    ]);
    assert.equal(removed, 3);
    for (const table of TABLES) {
      assert.deepEqual(await daysOf(table, "short"), ["2026-03-03", "2026-03-09"], table);
      assert.deepEqual(await daysOf(table, "long"), ["2026-03-02", "2026-03-03", "2026-03-09"], table);
      assert.equal((await daysOf(table, "free")).length, 4, table);
    }
    assert.equal(await remove([{ projectId: "short", days: 7 }]), 0, "a second run finds nothing");
  });

  test("a month in which nothing stays is dropped as a partition", async () => {
    await store(["short"], ["2025-11-01", "2025-11-30"]);
    await closeDueDays(engine, { settleS: 0 });
    for (const table of ["events", "sessions", "rollups"]) assert.ok((await partsOf(table, 202511)) > 0);
    assert.equal(await remove([{ projectId: "short", days: 7 }]), 2);
    for (const table of ["events", "sessions", "revenue_events", "chain_visitors", "rollups"])
      assert.equal(await partsOf(table, 202511), 0, table);
  });

  test("an event of today in an old partition, from a clock that is wrong, stays", async () => {
    await store(["skewed"], ["2026-03-10"], "2025-10-07");
    await store(["skewed"], ["2025-10-08"]);
    assert.equal(await remove([{ projectId: "skewed", days: 1 }]), 1);
    assert.deepEqual(await daysOf("events", "skewed"), ["2026-03-10"]);
  });

  test("a day that got events just now waits for the next run", async () => {
    await store(["late"], ["2025-09-01"]);
    const nowMs = Date.now();
    const limits = [{ projectId: "late", days: 1 }];
    assert.equal(await removeExpiredEvents(engine, limits, { nowMs }), 0);
    assert.deepEqual(await daysOf("events", "late"), ["2025-09-01"]);
    assert.equal(await removeExpiredEvents(engine, limits, { nowMs, settleS: -60 }), 1);
    assert.deepEqual(await daysOf("event_days", "late"), []);
  });

  test("the ledger and parked events of removed days go, too; parked ones after 30 days at the latest", async () => {
    // Around today: the engine itself takes no parked event that is older than 30 days.
    const nowMs = Date.now();
    const days = [24, 9, 6].map((ago) => dayOf(nowMs - ago * DAY_MS));
    const at = (day: string) => Date.parse(`${day}T01:00:00Z`);
    const lines = (make: (day: string) => object) =>
      Buffer.from(days.map((day) => JSON.stringify(make(day))).join("\n"));
    for (const project_id of ["counted", "other"]) {
      await engine.insert({
        table: "ledger",
        body: lines((day) => ({
          project_id,
          minute: at(day) / 1000,
          outcome: "written",
          reason: "",
          batch: day,
          events: 1,
        })),
      });
      const body = lines((day) => ({ project_id, received_at: at(day), id: day, reason: "x", raw: "{}" }));
      await engine.insert({ table: "parked_events", body });
    }
    await store(["counted"], days.slice(0, 1));
    await removeExpiredEvents(engine, [{ projectId: "counted", days: 7 }], { nowMs, settleS: -60 });
    const count = (table: string, project: string) =>
      selectNumber(engine, `SELECT count() AS n FROM ${table} FINAL WHERE project_id = '${project}'`);
    assert.deepEqual([await count("ledger", "counted"), await count("ledger", "other")], [1, 3]);
    assert.deepEqual([await count("parked_events", "counted"), await count("parked_events", "other")], [1, 3]);
    assert.equal(await removeOldParked(engine, { nowMs: nowMs + 8 * DAY_MS }), 1);
    assert.equal(await count("parked_events", "other"), 2);
  });
});
