import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { rebuild } from "../../src/engines/duckdb/rebuild.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { rebuildDerived } from "../../src/warehouse/rebuild.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter, selectNumber, startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";

const NOW_MS = Date.parse("2026-03-10T12:00:00Z");
const DAYS = ["2026-03-06", "2026-03-07", "2026-03-08"];
const PROJECTS = ["one", "two"];

describe("a rebuild", () => {
  let host: TestLocalEngine;
  let engine: AnalyticsEngine;
  let send: Awaited<ReturnType<typeof createTestWriter>>;
  let wanted: unknown;
  before(async () => {
    host = await startLocalEngine({ nowMs: () => NOW_MS });
    engine = host.engine;
    send = await createTestWriter(engine);
    for (const project of PROJECTS) await send(project, DAYS.flatMap(eventsOf), NOW_MS);
    await materialize();
    wanted = await readDerived();
  });
  after(() => host.stop());

  const eventsOf = (day: string) =>
    ["ada", "bob"].map((anonymous_id) =>
      sampleEvent(`${day} ${anonymous_id}`, {
        channel: "import",
        original_timestamp: `${day}T12:00:00Z`,
        anonymous_id,
        properties: JSON.stringify({ revenue: 5 }),
      }),
    );

  async function materialize(): Promise<void> {
    for (let left = 1; left > 0; ) {
      const dirty = await engine.maintenance.listDirty(NOW_MS + DAY_MS, []);
      left = dirty.length;
      await engine.maintenance.materialize(dirty, new AbortController().signal);
    }
  }

  const readAll = async (table: string) => (await engine.select(`SELECT * FROM ${table} ORDER BY ALL`)).rows;
  const readDerived = async () => JSON.stringify([await readAll("sessions"), await readAll("rollups")], toText);
  const toText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

  const damages: [what: string, sql: string[]][] = [
    ["of what is sound", []],
    ["of sessions and rollups with wrong numbers", ["UPDATE sessions SET hits = 7", "UPDATE rollups SET visitors = 7"]],
    [
      "of sessions without events",
      ["INSERT INTO sessions SELECT * REPLACE ('gone' AS project_id) FROM sessions LIMIT 1"],
    ],
    ["without sessions", ["DROP TABLE sessions"]],
    ["without rollups", ["DROP TABLE rollups"]],
    ["without the state of the rollups", ["DROP TABLE rollup_state"]],
    ["without any of them", ["DROP TABLE sessions", "DROP TABLE rollups", "DROP TABLE rollup_state"]],
    ["after one that was cut short", ["DROP TABLE sessions", "CREATE TABLE sessions_rebuilt (a INTEGER)"]],
  ];
  for (const [what, statements] of damages)
    test(`${what} restores the same data, and reports read sessions until rollups exist`, async () => {
      for (const sql of statements) await host.run(sql);
      const seen: number[] = [];
      const { done, total } = await rebuildDerived(engine, (progress) => void seen.push(progress.done));
      const partitions = what.includes("without events") ? 7 : 6;
      assert.deepEqual([done, total], [partitions, partitions]);
      assert.deepEqual([seen[0], seen.at(-1)], [0, partitions]);
      assert.deepEqual(
        seen,
        [...new Set(seen)].sort((a, b) => a - b),
        "progress goes up",
      );
      assert.equal(await selectNumber(engine, "SELECT count(*) AS n FROM rollups"), 0);
      assert.equal(
        await selectNumber(engine, "SELECT count(*) AS n FROM rollup_state WHERE clean_through > '1970-01-01'"),
        0,
      );
      await materialize();
      assert.equal(await readDerived(), wanted);
      assert.deepEqual(await send("one", eventsOf("2026-03-07"), NOW_MS), await asCopies("2026-03-07"));
    });

  const asCopies = async (day: string) => {
    const minute = NOW_MS / 1000;
    return [{ project_id: "one", minute, outcome: "duplicate", reason: "", day, events: 2 }];
  };

  test("tells its progress before each group of partitions, and at the end", async () => {
    for (const [sliceRows, expected] of [
      [2, [0, 1, 2, 3, 4, 5, 6]],
      [5, [0, 2, 4, 6]],
      [1000, [0, 6]],
    ] as const) {
      const seen: number[] = [];
      await rebuild(host.engine.database, (done) => void seen.push(done), new AbortController().signal, sliceRows);
      assert.deepEqual(seen, expected);
      await materialize();
      assert.equal(await readDerived(), wanted);
    }
  });

  test("lets the writer store events meanwhile, and includes all of them", async () => {
    let sent = 0;
    let running = true;
    const run = rebuildDerived(engine).finally(() => {
      running = false;
    });
    while (running) {
      const [event] = eventsOf("2026-03-08");
      await send("one", [{ ...event, message_id: `meanwhile ${sent}`, anonymous_id: `v${sent}` }], NOW_MS);
      sent += 1;
    }
    await run;
    assert.ok(sent > 0);
    assert.equal(
      await selectNumber(engine, "SELECT sum(events) AS n FROM sessions"),
      await selectNumber(engine, "SELECT count(*) AS n FROM events"),
    );
  });
});
