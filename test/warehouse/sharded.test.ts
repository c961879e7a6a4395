import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemClock } from "../../src/lib/clock.ts";
import { closeDueDays } from "../../src/warehouse/close-days.ts";
import { readLedgerTotals } from "../../src/warehouse/events-admin.ts";
import { migrateWarehouse } from "../../src/warehouse/migrate.ts";
import { rebuildDerived } from "../../src/warehouse/rebuild.ts";
import { SWEPT_TABLES, sweepBuilds } from "../../src/warehouse/sweep-builds.ts";
import { compareReports } from "../query/compare.ts";
import { SEED } from "../support/seed.ts";
import { type ShardedEngine, startShardedEngine } from "../support/sharded-engine.ts";
import { selectNumber } from "../support/warehouse.ts";

const QUERIES = 24;
const HOUR_MS = 3_600_000;

describe("Distributed tables over two shards", () => {
  let sharded: ShardedEngine;
  before(async () => {
    sharded = await startShardedEngine();
  });
  after(() => sharded.stop());

  test(`${QUERIES} generated questions get the oracle's answers, days open, closed and opened again`, async () => {
    const open = async () => ({ engine: sharded.engine, stop: async () => undefined });
    assert.equal(
      await compareReports({ seed: SEED, queries: QUERIES, queriesPerState: 2, eventsPerSet: 120, days: 3, open }),
      QUERIES,
    );
    const { data } = await sharded.engine.selectJson<{ n: number }>(
      "SELECT uniqExact(project_id) AS n FROM events GROUP BY _shard_num",
    );
    assert.equal(data.length, 2, "both shards hold projects");
  });

  test("every row is stored once, and derived rows are where their events are", async () => {
    for (const table of ["events", ...SWEPT_TABLES]) {
      const here = await selectNumber(sharded.plain, `SELECT count() AS n FROM ${table}_local`);
      const there = await selectNumber(sharded.engine, `SELECT count() AS n FROM ${table}`);
      assert.ok(here > 0 && here === there, `${table}: ${here} rows stored, ${there} found by the shards`);
    }
  });

  test("the ledger of all projects counts what all shards hold, each event once", async () => {
    const ledger = [1, 2, 3, 4].map((i) => ({
      project_id: `ledger-${i}`,
      minute: Date.UTC(2026, 0) / 1000,
      outcome: "refused",
      reason: "empty",
      batch: "b",
      events: i,
    }));
    const body = Buffer.from(ledger.map((row) => JSON.stringify(row)).join("\n"));
    for (let i = 0; i < 2; i += 1) await sharded.engine.insert({ table: "ledger", body });
    const stored = await selectNumber(sharded.engine, "SELECT count() AS n FROM events FINAL");
    const totals = await readLedgerTotals(sharded.engine, { fromMs: Date.UTC(2000, 0), toMs: Date.UTC(2100, 0) });
    assert.deepEqual(totals, { received: stored + 10, stored, duplicate: 0, parked: {}, refused: { empty: 10 } });
  });

  test("a rebuild closes every day again, and the sweep leaves the current builds alone", async () => {
    await rebuildDerived(sharded.engine, { database: "sextant", cluster: sharded.cluster });
    // Days with events of the last minutes are left to the worker, which would come by later.
    assert.ok((await closeDueDays(sharded.engine, { settleS: 0 })) > 0);
    const builds = () => selectNumber(sharded.engine, "SELECT uniqExact(project_id, day, build) AS n FROM sessions");
    const days = () => selectNumber(sharded.engine, "SELECT uniqExact(project_id, day) AS n FROM sessions");
    assert.ok((await builds()) > (await days()), "there are builds that were replaced");
    await sweepBuilds(sharded.engine, systemClock, sharded.cluster);
    assert.ok((await builds()) > (await days()), "what was replaced just now may still be read");
    await sweepBuilds(sharded.engine, { nowMs: () => systemClock.nowMs() + 2 * HOUR_MS }, sharded.cluster);
    assert.equal(await builds(), await days());
  });

  test("a node without the cluster's name does not start on its tables", async () => {
    await assert.rejects(migrateWarehouse(sharded.engine, { database: "sextant" }), {
      message: "its tables were made for a cluster: set SEXTANT_CLICKHOUSE_CLUSTER as on the other nodes",
    });
  });
});
