import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { withParts } from "../../src/lib/sql.ts";
import { DAY_MS, dayOf } from "../../src/lib/time.ts";
import { readLedger } from "../../src/warehouse/ledger.ts";
import { listParked, readParked } from "../../src/warehouse/parked.ts";
import { replayParked } from "../../src/warehouse/replay.ts";
import { BOTH_IN_LONG, type StartedEngine } from "../support/both-engines.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter, selectNumber, startLocalEngine } from "../support/local-engine.ts";
import { waitFor } from "../support/wait.ts";

/** Ten megabytes each, which together are more than the engine may use there. */
const LARGE = 16;
const LITTLE_MEMORY = 128 * 1024 ** 2;
/** Noon of two days ago: ClickHouse removes parked events by its own clock, 31 days after their receipt. */
const MINUTE = Math.floor(Date.now() / DAY_MS) * DAY_MS - (3 * DAY_MS) / 2;
const RECEIVED = MINUTE + 30_000;
const SHORT = { type: "page", channel: "web", version: "0", anonymous_id: "v" };

async function collect<T>(pages: AsyncIterable<T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`a replay of parked events on ${name}`, { skip }, () => {
    let host: StartedEngine;
    let engine: AnalyticsEngine;
    let store: Awaited<ReturnType<typeof createTestWriter>>;
    before(async () => {
      host = await start();
      engine = host.engine;
      store = await createTestWriter(engine);
    });
    after(() => host?.stop());
    const count = (table: string, project: string) =>
      selectNumber(engine, `SELECT count(*) AS n FROM ${table} WHERE project_id = '${project}'`);
    const readSums = async (project: string) =>
      (await readLedger(engine, [project], { fromMs: MINUTE, toMs: MINUTE + 2 * DAY_MS })).map(
        ({ received, stored, duplicate, parked }) => ({ received, stored, duplicate, parked }),
      );

    test("applies every check of acceptance: an event too large or too deep stays parked", async () => {
      let deep: unknown = 1;
      for (let i = 0; i < 40; i += 1) deep = { deep };
      const large = { text: "x".repeat(300 * 1024) };
      const events = [sampleEvent("l-1", { properties: deep }), sampleEvent("l-2", { properties: large })];
      await store("limits", events, RECEIVED);
      const reasons = async () =>
        (await collect(listParked(engine, ["limits"], { limit: 10 }))).map((parked) => parked.reason).toSorted();
      assert.deepEqual(await reasons(), ["too_deep", "too_large"]);
      assert.deepEqual(await replayParked(engine, ["limits"], { rules: "raw" }), { stored: 0, stillInvalid: 2 });
      assert.deepEqual(await reasons(), ["too_deep", "too_large"]);
    });

    test("reads 2,500 events in pages; one that the engine refuses stays parked and blocks no other", async () => {
      const events = Array.from({ length: 2_500 }, (_, i) => ({ ...SHORT, message_id: `many-${i}` }));
      await store("many", events, RECEIVED);
      const pages: number[] = [];
      const progress = ({ stored, stillInvalid }: { stored: number; stillInvalid: number }) =>
        pages.push(stored + stillInvalid);
      const refusing: AnalyticsEngine = {
        ...engine,
        replay: (rows) =>
          engine.replay(
            rows.map((one) =>
              one.row.message_id === "many-1700" ? { ...one, row: { ...one.row, revenue: "" } } : one,
            ),
          ),
      };
      const result = await replayParked(refusing, ["many"], { rules: "raw" }, progress);
      assert.deepEqual(result, { stored: 2_499, stillInvalid: 1 });
      assert.deepEqual(pages, [1_000, 2_000, 2_500]);
      assert.deepEqual([await count("events", "many"), await count("parked_events", "many")], [2_499, 1]);
      assert.deepEqual(await readSums("many"), [{ received: 2_500, stored: 2_499, duplicate: 0, parked: 1 }]);
      assert.deepEqual(await replayParked(engine, ["many"], { rules: "raw" }), { stored: 1, stillInvalid: 0 });
      assert.equal(await count("parked_events", "many"), 0);
      // ClickHouse removes the texts of replayed events with those of their day.
      if (name === "DuckDB") assert.equal(await count("parked_raw", "many"), 0);
    });

    test("stores one copy of an event parked twice, with its own id or an Idempotency-Key", async () => {
      const events = [sampleEvent("ok"), SHORT, { ...SHORT, message_id: "own" }];
      const request = { idBase: "msg_same", repeatable: true } as const;
      await store("twice", events, MINUTE, request);
      // The client's retry comes a day later, at another position of the log.
      await store("twice", events, MINUTE + DAY_MS, request);
      assert.deepEqual(await replayParked(engine, ["twice"], { rules: "raw" }), { stored: 4, stillInvalid: 0 });
      const { rows } = await engine.select<{ id: string }>(
        "SELECT message_id AS id FROM events WHERE project_id = 'twice' ORDER BY id",
      );
      assert.deepEqual(
        rows.map(({ id }) => id),
        ["msg_same-1", "ok", "own"],
      );
      assert.deepEqual(await readSums("twice"), [
        { received: 3, stored: 3, duplicate: 0, parked: 0 },
        { received: 3, stored: 0, duplicate: 3, parked: 0 },
      ]);
    });

    test("run twice at once moves each event once", async () => {
      const events = Array.from({ length: 50 }, (_, i) => ({ ...SHORT, message_id: `race-${i}` }));
      await store("race", events, RECEIVED);
      const results = await Promise.all([1, 2].map(() => replayParked(engine, ["race"], { rules: "raw" })));
      const sum = results.reduce((all, { stored }) => all + stored, 0);
      // ClickHouse has no transactions: both may store an event, which counts once.
      if (name === "DuckDB") assert.equal(sum, 50);
      else assert.ok(sum >= 50 && sum <= 100);
      assert.deepEqual([await count("events", "race"), await count("parked_events", "race")], [50, 0]);
      assert.deepEqual(await readSums("race"), [{ received: 50, stored: 50, duplicate: 0, parked: 0 }]);
    });

    test("adds the event to its session and makes its partition dirty", async () => {
      await store("derived", [{ ...SHORT, message_id: "d-1" }], RECEIVED);
      const sessions = async () => {
        const [firstDay, lastDay] = [dayOf(MINUTE), dayOf(MINUTE)];
        const scope = { projects: [{ id: "derived", firstDay, withoutBots: false }], firstDay, lastDay };
        const { ctes, params } = await engine.relations.forReport(scope, new AbortController().signal);
        const sql = withParts(ctes, "SELECT s.project_id AS project_id, s.events AS events FROM sessions AS s");
        const used = Object.fromEntries(Object.entries(params).filter(([name]) => sql.includes(`{${name}:`)));
        const { rows } = await engine.select<{ project_id: string; events: number }>(sql, { params: used });
        return rows.filter(({ project_id }) => project_id === "derived").map(({ events }) => events);
      };
      assert.deepEqual(await sessions(), []);
      await replayParked(engine, ["derived"], { rules: "raw" });
      await waitFor("its session", async () => isDeepStrictEqual(await sessions(), [1]));
      // By the clock: the engine noted when the event arrived, and waits for later ones.
      const dirty = await engine.maintenance.listDirty(Date.now() + DAY_MS, []);
      assert.deepEqual(
        dirty
          .filter(({ project_id }) => project_id === "derived")
          .map(({ project_id, day, without_bots }) => ({ project_id, day, without_bots })),
        [{ project_id: "derived", day: dayOf(MINUTE), without_bots: false }],
      );
    });
  });

test("a replay never reads more events at once than fit in memory, however large they are", async (t) => {
  const { engine, stop } = await startLocalEngine({ memoryBytes: LITTLE_MEMORY });
  t.after(stop);
  const raw = (i: number) => JSON.stringify({ nr: i, text: `${i % 10}`.repeat(9_999_990), emoji: "🙂".repeat(20) });
  const common = { project_id: "large", reason: "too_large", details: "{}", rules: "tracked", country: "" };
  for (let i = 0; i < LARGE; i += 1) {
    const row = { ...common, received_at: MINUTE + i, id: `large-${i}`, message_id: "", raw: raw(i) };
    assert.equal(await engine.importRows("parked_events", [row]), 1);
  }
  const heads = await collect(listParked(engine, ["large"], { limit: 100 }));
  assert.deepEqual(
    heads.map(({ id, head, raw_bytes }) => [id, head.length, raw_bytes]),
    Array.from({ length: LARGE }, (_, i) => [`large-${LARGE - 1 - i}`, 200, Buffer.byteLength(raw(LARGE - 1 - i))]),
  );
  let found = 0;
  for await (const [parked, ...others] of readParked(engine, ["large"], { limit: 3 })) {
    assert.ok(parked?.raw === raw(LARGE - 1 - found));
    assert.deepEqual(others, []);
    found += 1;
  }
  assert.equal(found, 3);
  assert.deepEqual(await replayParked(engine, ["large"], {}), { stored: 0, stillInvalid: LARGE });
});
