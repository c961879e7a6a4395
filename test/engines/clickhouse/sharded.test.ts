import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { IS_LONG, SEED } from "../../../src/lib/testing.ts";
import { readLedgerTotals } from "../../../src/warehouse/ledger.ts";
import { compareReports, NOW_MS } from "../../query/compare.ts";
import { selectNumber } from "../../support/local-engine.ts";
import { whyNoClickHouse } from "../../support/platform.ts";
import { type ShardedClickhouse, startShardedClickhouse } from "../../support/sharded-clickhouse.ts";

/**
 * One in each of the first states: dirty and clean in part, in a long run also clean and dirty again. An emulated
 * ClickHouse takes seconds for a question.
 * `npm run property:query -- --sharded` asks as many as one wants.
 */
const QUERIES = IS_LONG ? 4 : 2;
const TIMEOUT_MS = 900_000;

describe("Distributed tables over two shards", { skip: whyNoClickHouse() ?? false, timeout: TIMEOUT_MS }, () => {
  let sharded: ShardedClickhouse;
  before(async () => {
    sharded = await startShardedClickhouse(() => NOW_MS);
  });
  after(() => sharded?.stop());

  test(`${QUERIES} generated queries match the oracle while partitions are dirty, clean and dirty again`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const open = async () => ({ engine: sharded.engine, stop: async () => undefined });
    const asked = await compareReports({
      seed: SEED,
      queries: QUERIES,
      queriesPerState: 1,
      eventsPerSet: 60,
      ...(IS_LONG ? { dates: ["2026-03-01", "2026-03-05"] } : { dates: ["2026-03-01"], cleanAtMost: 1 }),
      counted: "received first",
      open,
    });
    assert.equal(asked, QUERIES);
    const sql = "SELECT uniqExact(project_id) AS n FROM events_rows GROUP BY _shard_num";
    assert.equal((await sharded.engine.select(sql)).rows.length, 2, "both shards hold projects");
  });

  test("every row is stored once, and derived rows are on the shard of their events", async () => {
    for (const table of ["events_rows", "dirty_partitions", "revisions", "session_rows", "rollup_rows"]) {
      const here = await selectNumber(sharded.plain, `SELECT count() AS n FROM ${table}_local`);
      const there = await selectNumber(sharded.engine, `SELECT count() AS n FROM ${table}`);
      assert.ok(here > 0 && here === there, `${table}: ${here} rows stored, ${there} found by the shards`);
    }
  });

  test("the ledger of all projects counts each event of all shards once", async () => {
    const rows = [1, 2, 3, 4].map((i) => ({
      project_id: `ledger-${i}`,
      minute: Date.UTC(2026, 0) / 1000,
      day: "2026-01-01",
      outcome: "refused",
      reason: "empty",
      events: i,
    }));
    for (let i = 0; i < 2; i += 1) await sharded.engine.importRows("ledger", rows);
    const stored = await selectNumber(sharded.engine, "SELECT count() AS n FROM events");
    const totals = await readLedgerTotals(sharded.engine, { fromMs: Date.UTC(2000, 0), toMs: Date.UTC(2100, 0) });
    assert.deepEqual(totals, { received: stored + 10, stored, duplicate: 0, parked: {}, refused: { empty: 10 } });
  });
});
