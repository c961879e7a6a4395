import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { type Database, openDatabase } from "../../src/engines/duckdb/database.ts";
import { importRows } from "../../src/engines/duckdb/import-rows.ts";
import { DEFAULT_LIMITS } from "../../src/engines/duckdb/limits.ts";
import { listDirty, materialize } from "../../src/engines/duckdb/materialize.ts";
import { migrate } from "../../src/engines/duckdb/migrate.ts";
import { countStale, mergeStale } from "../../src/engines/duckdb/profiles.ts";
import { rebuild } from "../../src/engines/duckdb/rebuild.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { MARGINS } from "../../src/materialize/margins.ts";
import { createRandom, generateEvents } from "../query/generate.ts";
import { toRow } from "../query/store-rows.ts";

const MIDNIGHT_MS = Date.parse("2026-03-05T00:00:00Z");
const DAYS = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];

describe("materialization", () => {
  let dir = "";
  let database: Database;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "materialize-"));
    database = await openDatabase(join(dir, "w.duckdb"), DEFAULT_LIMITS);
    await migrate(database);
  });
  afterEach(async () => {
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const { signal } = new AbortController();
  const list = async (nowMs: number) =>
    (await listDirty(database, nowMs, [])).map(({ project_id, day }) => `${project_id} ${day}`);
  const materializeAt = async (nowMs: number) => materialize(database, await listDirty(database, nowMs, []), signal);

  async function store(days: readonly string[], nowMs: number, { projects = ["p"], count = 100, seed = 1 } = {}) {
    const events = generateEvents(createRandom(seed), { projects, days, count });
    // Every day has some.
    const rows = events.map((event, at) => {
      const day = days[at % days.length] ?? "";
      return toRow({ ...event, message_id: `${seed} ${at}`, timestamp: Date.parse(day) + (event.timestamp % DAY_MS) });
    });
    await importRows(database, "events", rows, nowMs);
  }

  test("a partition is due a while after its day, and never before", async () => {
    await store(DAYS, MIDNIGHT_MS - DAY_MS);
    const afterMidnight = MIDNIGHT_MS + MARGINS.dayIsOverMs;
    assert.deepEqual((await list(afterMidnight - 1)).at(-1), "p 2026-03-03");
    assert.deepEqual((await list(afterMidnight)).at(-1), "p 2026-03-04");
    assert.equal((await materializeAt(afterMidnight)).length, 4);
    assert.deepEqual(await list(afterMidnight), []);
  });

  test("late events make their and all later partitions dirty, to be materialized when quiet or overdue", async () => {
    const now = MIDNIGHT_MS + 2 * MARGINS.dayIsOverMs;
    await store(DAYS, MIDNIGHT_MS - 5 * DAY_MS, { projects: ["p", "q"] });
    await materializeAt(now);
    await store(["2026-03-03"], now, { count: 5, seed: 2 });
    assert.deepEqual(await list(now + MARGINS.quietMs - 1), []);
    assert.deepEqual(await list(now + MARGINS.quietMs), ["p 2026-03-03", "p 2026-03-04"]);
    let seed = 3;
    let at = now;
    for (; at < now + MARGINS.longestWaitMs; at += MARGINS.quietMs - 1) {
      assert.deepEqual(await list(at), [], "it does not get quiet");
      await store(["2026-03-03"], at, { count: 1, seed });
      seed += 1;
    }
    assert.deepEqual(await list(at), ["p 2026-03-03", "p 2026-03-04"]);
    assert.equal((await materializeAt(at)).length, 2);
    assert.deepEqual(await list(at), []);
  });

  const ROLLUPS = `SELECT project_id, day, dimension, value, seen_before, sum(hits) AS hits, sum(sessions) AS sessions,
      sum(visitors) AS visitors, toFloat64(sum(revenue)) AS revenue
    FROM rollups GROUP BY ALL ORDER BY ALL`;

  const PROFILES = "SELECT * REPLACE (toString(last_rank) AS last_rank) FROM profile_sums ORDER BY project_id, address";

  const TWO_DAYS = DAYS.slice(0, 2);
  /** Of about 100 sessions a day. */
  const SLICE = 40;
  const partitionsOf = (days: readonly string[]) => days.map((day) => ({ project_id: "p", day, without_bots: false }));

  test("the slices of a large partition add up to its totals", async () => {
    await store(TWO_DAYS, MIDNIGHT_MS - 5 * DAY_MS, { count: 300 });
    await materializeAt(MIDNIGHT_MS + DAY_MS);
    const whole = (await database.select(ROLLUPS)).rows;
    const profiles = (await database.select(PROFILES)).rows;
    assert.ok(whole.length > 500 && profiles.length > SLICE / 2);
    await database.write((connection) => connection.run("DELETE FROM rollups; DELETE FROM rollup_state"));
    assert.equal((await materialize(database, partitionsOf(TWO_DAYS), signal, SLICE)).length, 2);
    const sliced = (await database.select(ROLLUPS)).rows;
    assert.deepEqual(sliced, whole);
    assert.deepEqual((await database.select(PROFILES)).rows, profiles);
  });

  test("wallets of days that are dirty again are merged in slices, from the clean days alone", async () => {
    await store(DAYS, MIDNIGHT_MS - 5 * DAY_MS, { count: 300 });
    await materializeAt(MIDNIGHT_MS + DAY_MS);
    await store(["2026-03-03"], MIDNIGHT_MS + DAY_MS, { count: 1, seed: 2 });
    const stale = await database.alone((connection) => countStale(connection, "p"));
    await mergeStale(database, "p", Math.ceil(stale / 3));
    assert.equal(await database.alone((connection) => countStale(connection, "p")), 0);
    const merged = (await database.select(PROFILES)).rows;
    await database.write((connection) => connection.run("DELETE FROM rollup_state; DELETE FROM profile_sums"));
    assert.equal((await materialize(database, partitionsOf(TWO_DAYS), signal)).length, 2);
    assert.ok(stale > merged.length / 2 && merged.length > 0);
    assert.deepEqual(merged, (await database.select(PROFILES)).rows);
  });

  test("a late event between two slices leaves the partition dirty, and the next try is exact", async () => {
    await store(TWO_DAYS, MIDNIGHT_MS - 5 * DAY_MS, { count: 300 });
    let writes = 0;
    const interrupted: Database = {
      ...database,
      async write(work) {
        writes += 1;
        const done = await database.write(work);
        if (writes === 2) await store(["2026-03-01"], MIDNIGHT_MS, { count: 30, seed: 9 });
        return done;
      },
    };
    assert.deepEqual(await materialize(interrupted, partitionsOf(["2026-03-01"]), signal, SLICE), []);
    assert.equal((await list(MIDNIGHT_MS + DAY_MS))[0], "p 2026-03-01");
    await materializeAt(MIDNIGHT_MS + DAY_MS);
    const found = (await database.select(ROLLUPS)).rows;
    await database.write((connection) => connection.run("DELETE FROM rollups; DELETE FROM rollup_state"));
    await materializeAt(MIDNIGHT_MS + DAY_MS);
    assert.deepEqual(found, (await database.select(ROLLUPS)).rows);
  });

  test("a rebuild that begins within a partition leaves it dirty: no later one is clean before the earlier", async () => {
    await store(TWO_DAYS, MIDNIGHT_MS - 5 * DAY_MS, { count: 300 });
    assert.equal((await materialize(database, partitionsOf(TWO_DAYS.slice(0, 1)), signal)).length, 1);
    let writes = 0;
    const interrupted: Database = {
      ...database,
      async write(work) {
        writes += 1;
        const done = await database.write(work);
        if (writes === 1) await rebuild(database, () => undefined, signal);
        return done;
      },
    };
    assert.deepEqual(await materialize(interrupted, partitionsOf(TWO_DAYS.slice(1)), signal, SLICE), []);
    assert.ok(writes > 1);
    assert.deepEqual(await list(MIDNIGHT_MS + DAY_MS), ["p 2026-03-01", "p 2026-03-02"]);
  });
});
