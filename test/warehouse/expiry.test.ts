import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { DAY_MS, dayOf } from "../../src/lib/time.ts";
import { readLedger } from "../../src/warehouse/ledger.ts";
import { removeDeletedProjects, removeExpiredEvents, removeOldParked } from "../../src/warehouse/retention.ts";
import { BOTH_IN_LONG, type StartedEngine } from "../support/both-engines.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter, selectNumber } from "../support/local-engine.ts";

/** Noon of today: ClickHouse removes parked events by its own clock, 31 days after their receipt. */
const NOW_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
const dayAgo = (days: number) => dayOf(NOW_MS - days * DAY_MS);

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`expired events on ${name}`, { skip }, () => {
    let host: StartedEngine;
    let engine: AnalyticsEngine;
    let send: Awaited<ReturnType<typeof createTestWriter>>;
    before(async () => {
      host = await start({ nowMs: () => NOW_MS });
      engine = host.engine;
      send = await createTestWriter(engine);
    });
    after(() => host?.stop());

    const { signal } = new AbortController();
    const remove = (limits: { projectId: string; days: number }[]) =>
      removeExpiredEvents(engine, limits, { nowMs: NOW_MS, signal });

    /** An event of a project at noon of a day, sent on that day; `id` names another one of the same day. */
    const eventOf = (day: string, id = "") =>
      sampleEvent(`${day} ${id}`, { channel: "import", original_timestamp: `${day}T12:00:00Z`, revenue: 1 });

    async function daysOf(table: string, project: string): Promise<string[]> {
      const sql = `SELECT DISTINCT toString(day) AS d FROM ${table} WHERE project_id = {project:String} ORDER BY d`;
      const { rows } = await engine.select<{ d: string }>(sql, { params: { project } });
      return rows.map(({ d }) => d);
    }
    const count = (table: string, project: string) =>
      selectNumber(engine, `SELECT count(*) AS n FROM ${table} WHERE project_id = '${project}'`);

    test("are removed by their project's limit, with their ledger; other projects and days stay", async () => {
      const days = [64, 8, 7, 1].map(dayAgo);
      for (const project of ["short", "long", "free"])
        await send(
          project,
          days.map((day) => eventOf(day)),
          NOW_MS,
        );
      const limits = [
        { projectId: "short", days: 7 },
        { projectId: "long", days: 30 },
      ];
      assert.equal(await remove(limits), 3);
      for (const table of ["events", "ledger"]) {
        assert.deepEqual(await daysOf(table, "short"), days.slice(2), table);
        assert.deepEqual(await daysOf(table, "long"), days.slice(1), table);
        assert.deepEqual(await daysOf(table, "free"), days, table);
      }
      assert.equal(await remove(limits), 0, "a second run finds nothing");
    });

    test("are all events of a deleted project, also of today; an event that was still in the log, too", async () => {
      const events = [64, 1, 0].map((days) => eventOf(dayAgo(days)));
      for (const project of ["deleted", "kept"]) await send(project, events, NOW_MS);
      assert.equal(await removeDeletedProjects(engine, ["deleted"], signal), 3);
      for (const table of ["events", "ledger"]) assert.equal(await count(table, "deleted"), 0, table);
      assert.equal(await count("events", "kept"), 3);
      await send("deleted", events.slice(2), NOW_MS);
      assert.equal(await removeDeletedProjects(engine, ["deleted"], signal), 1);
      assert.equal(await removeDeletedProjects(engine, [], signal), 0);
    });

    test("an event of today under an old day of the client's clock stays", async () => {
      const skewed = {
        message_id: "skewed",
        original_timestamp: `${dayAgo(155)}T00:00:00Z`,
        sent_at: `${dayAgo(155)}T00:00:01Z`,
      };
      await send("skewed", [sampleEvent("skewed", skewed), eventOf(dayAgo(154))], NOW_MS);
      assert.equal(await remove([{ projectId: "skewed", days: 1 }]), 1);
      assert.deepEqual(await daysOf("events", "skewed"), [dayAgo(0)]);
    });

    test("an event that arrives expired is in the ledger until removed, and no duplicate afterwards", async () => {
      const body = [eventOf(dayAgo(49), "old"), eventOf(dayAgo(1), "new"), eventOf(dayAgo(1), "new"), { type: 7 }];
      await send("import", body, NOW_MS);
      const ledger = async () => {
        const [line] = await readLedger(engine, ["import"], { fromMs: NOW_MS, toMs: NOW_MS + 60_000 });
        return [line?.received, line?.stored, line?.duplicate, line?.parked];
      };
      assert.deepEqual(await ledger(), [4, 2, 1, 1]);
      await remove([{ projectId: "import", days: 30 }]);
      assert.deepEqual(await ledger(), [3, 1, 1, 1]);
    });

    test("ledger and parked events expire, too, even without stored events; parked ones within 30 days", async () => {
      const at = (daysAgo: number) => NOW_MS - daysAgo * DAY_MS;
      for (const project of ["counted", "other"])
        for (const daysAgo of [24, 9, 6]) await send(project, [{ type: 7 }], at(daysAgo));
      await remove([{ projectId: "counted", days: 7 }]);
      for (const table of ["ledger", "parked_events", "parked_raw"])
        assert.deepEqual([await count(table, "counted"), await count(table, "other")], [1, 3], table);
      assert.equal(await removeOldParked(engine, { nowMs: NOW_MS + 8 * DAY_MS }), 1);
      assert.deepEqual([await count("parked_events", "other"), await count("parked_raw", "other")], [2, 2]);
    });
  });
