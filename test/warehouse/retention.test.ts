import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Database } from "../../src/engines/duckdb/database.ts";
import { removeBefore } from "../../src/engines/duckdb/retention.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { DAY_MS, dayOf } from "../../src/lib/time.ts";
import { removeDeletedProjects, removeExpiredEvents } from "../../src/warehouse/retention.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter, selectNumber, startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";

const NOW_MS = Date.parse("2026-03-10T12:00:00Z");
const DERIVED = ["sessions", "rollups"];

describe("retention of events", () => {
  let host: TestLocalEngine;
  let engine: AnalyticsEngine;
  let send: Awaited<ReturnType<typeof createTestWriter>>;
  before(async () => {
    host = await startLocalEngine({ nowMs: () => NOW_MS });
    engine = host.engine;
    send = await createTestWriter(engine);
  });
  after(() => host.stop());

  const NOT_STOPPED = new AbortController().signal;
  const remove = (limits: { projectId: string; days: number }[], signal = NOT_STOPPED) =>
    removeExpiredEvents(engine, limits, { nowMs: NOW_MS, signal });

  /** An event of a project at noon of a day, sent on that day; `id` names another one of the same day. */
  const eventOf = (day: string, id = "") =>
    sampleEvent(`${day} ${id}`, { channel: "import", original_timestamp: `${day}T12:00:00Z`, revenue: 1 });

  async function store(projects: readonly string[], days: readonly string[]): Promise<void> {
    for (const project of projects)
      await send(
        project,
        days.map((day) => eventOf(day)),
        NOW_MS,
      );
  }

  async function materialize(): Promise<void> {
    for (;;) {
      const dirty = await engine.maintenance.listDirty(NOW_MS + DAY_MS, []);
      if (dirty.length === 0) return;
      await engine.maintenance.materialize(dirty, NOT_STOPPED);
    }
  }

  async function daysOf(table: string, project: string): Promise<string[]> {
    const sql = `SELECT DISTINCT toString(day) AS d FROM ${table} WHERE project_id = {project:String} ORDER BY d`;
    const { rows } = await engine.select<{ d: string }>(sql, { params: { project } });
    return rows.map(({ d }) => d);
  }
  const count = (table: string, project: string) =>
    selectNumber(engine, `SELECT count(*) AS n FROM ${table} WHERE project_id = '${project}'`);

  test("days beyond a project's limit are removed from every table; other projects and days stay", async () => {
    await store(["short", "long", "free"], ["2026-01-05", "2026-03-02", "2026-03-03", "2026-03-09"]);
    await materialize();
    const limits = [
      { projectId: "short", days: 7 },
      { projectId: "long", days: 30 },
    ];
    assert.equal(await remove(limits), 3);
    for (const table of ["events", "ledger", ...DERIVED]) {
      assert.deepEqual(await daysOf(table, "short"), ["2026-03-03", "2026-03-09"], table);
      assert.deepEqual(await daysOf(table, "long"), ["2026-03-02", "2026-03-03", "2026-03-09"], table);
      assert.equal((await daysOf(table, "free")).length, 4, table);
    }
    const { rows } = await engine.select(
      "SELECT project_id, removed_before FROM rollup_state WHERE removed_before > '1970-01-01' ORDER BY project_id",
    );
    assert.deepEqual(rows, [
      { project_id: "long", removed_before: "2026-01-06" },
      { project_id: "short", removed_before: "2026-03-03" },
    ]);
    assert.equal(await remove(limits), 0, "a second run finds nothing");
  });

  test("every day of a deleted project is removed from every table, today and later ones too; others stay", async () => {
    await store(["deleted", "kept"], ["2026-01-05", "2026-03-09", "2026-03-10"]);
    await materialize();
    assert.equal(await removeDeletedProjects(engine, ["deleted"], NOT_STOPPED), 3);
    for (const table of ["events", "ledger", ...DERIVED]) assert.equal(await count(table, "deleted"), 0, table);
    assert.equal(await count("events", "kept"), 3);
    await store(["deleted"], ["2026-03-10"]);
    assert.equal(
      await removeDeletedProjects(engine, ["deleted"], NOT_STOPPED),
      1,
      "an event that was still in the log",
    );
    assert.equal(await removeDeletedProjects(engine, [], NOT_STOPPED), 0);
  });

  test("rows that an interrupted run left in one table are removed by the next run", async () => {
    await store(["rest"], ["2026-01-05"]);
    await materialize();
    await host.run("DELETE FROM events WHERE project_id = 'rest'");
    assert.equal(await remove([{ projectId: "rest", days: 7 }]), 0);
    for (const table of DERIVED) assert.deepEqual(await daysOf(table, "rest"), [], table);
  });

  test("a late event of a removed day is in the warehouse until the next run", async () => {
    await store(["late"], ["2026-01-05", "2026-03-09"]);
    await materialize();
    assert.equal(await remove([{ projectId: "late", days: 7 }]), 1);
    await send("late", [eventOf("2026-01-04", "late")], NOW_MS);
    const readRemoved = () =>
      selectNumber(engine, "SELECT removed_before = '2026-01-04' AS n FROM rollup_state WHERE project_id = 'late'");
    assert.equal(await readRemoved(), 1, "days from there on are not removed any more");
    assert.equal(await remove([{ projectId: "late", days: 7 }]), 1);
    for (const table of ["events", "sessions"]) assert.deepEqual(await daysOf(table, "late"), ["2026-03-09"], table);
  });

  test("a large day is removed in parts; events stored meanwhile stay, and none waits for seconds", async () => {
    const { rows } = await engine.select<{ n: number }>("SELECT count(*) AS n FROM events WHERE project_id = 'large'");
    assert.equal(rows[0]?.n, 0);
    await host.run(`INSERT INTO events SELECT e.* REPLACE ('large' AS project_id, hash(i) AS session, hash(i) AS dedupe_key)
      FROM (SELECT * FROM events WHERE project_id = 'free' AND day = '2026-01-05' LIMIT 1) AS e, range(120000) AS t(i)`);
    await store(["large"], ["2026-01-06", "2026-03-09"]);
    let sent = 0;
    let longestMs = 0;
    let removing = true;
    const startedAt = performance.now();
    const removed = remove([{ projectId: "large", days: 7 }]).finally(() => {
      removing = false;
    });
    while (removing) {
      const began = performance.now();
      await send("large", [eventOf("2026-03-09", `meanwhile ${sent}`)], NOW_MS);
      longestMs = Math.max(longestMs, performance.now() - began);
      sent += 1;
    }
    assert.equal(await removed, 120_001);
    // On a slow machine a part takes longer, but still a part of the whole.
    const mostMs = Math.max(5_000, (performance.now() - startedAt) / 2);
    assert.ok(longestMs < mostMs, `an event waited ${Math.round(longestMs)} ms`);
    assert.ok(sent > 2, "the writer had its turn between the parts");
    assert.equal(await count("events", "large"), 1 + sent);
  });

  test("small days are removed together, and no later one with them", async () => {
    const days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05"];
    await store(["joined", "joined elsewhere"], days);
    let writes = 0;
    const counting: Database = {
      ...host.engine.database,
      write(work) {
        writes += 1;
        return host.engine.database.write(work);
      },
    };
    const kept = { projectId: "joined", firstDay: "2026-01-05" };
    assert.equal(await removeBefore(counting, [kept], new AbortController().signal, 3), 4);
    assert.equal(writes, 2, "three days, then one");
    for (const table of ["events", "sessions"]) {
      assert.deepEqual(await daysOf(table, "joined"), ["2026-01-05"], table);
      assert.deepEqual(await daysOf(table, "joined elsewhere"), days, table);
    }
  });

  test("a stop ends a run between two slices, and the next run removes the rest", async () => {
    const days = Array.from({ length: 20 }, (_, i) => dayOf(Date.UTC(2026, 0, 1 + i)));
    await store(["stopped"], days);
    const stopping = new AbortController();
    const kept = { projectId: "stopped", firstDay: "2026-03-03" };
    const abortingAfterFirst: Database = {
      ...host.engine.database,
      async write(work) {
        const done = await host.engine.database.write(work);
        stopping.abort(new Error("stopping"));
        return done;
      },
    };
    await assert.rejects(removeBefore(abortingAfterFirst, [kept], stopping.signal, 3), /stopping/);
    const left = await count("events", "stopped");
    assert.ok(left > 0 && left < days.length, `${left} are left`);
    assert.equal(await remove([{ projectId: "stopped", days: 7 }]), left);
  });
});
