import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { openDatabase } from "../../../src/engines/duckdb/database.ts";
import { openLocalEngine } from "../../../src/engines/duckdb/engine.ts";
import { DEFAULT_LIMITS } from "../../../src/engines/duckdb/limits.ts";
import { ROW_GROUP_ROWS } from "../../../src/engines/duckdb/open-file.ts";
import type { AnalyticsEngine, BatchStore } from "../../../src/engines/port.ts";
import { IS_LONG } from "../../../src/lib/testing.ts";
import { sampleEvent } from "../../support/events.ts";
import { createTestWriter, selectNumber, startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";

const GROUPS = `SELECT row_group_id AS id, max(start + count) - min(start) AS rows
FROM pragma_storage_info('t') WHERE segment_type = 'BIGINT' GROUP BY id ORDER BY id`;

/** Events, each with a checkpoint of its own. */
const SINGLE = IS_LONG ? 24 : 12;

describe("the row groups of the warehouse", () => {
  let local: TestLocalEngine;
  let store: BatchStore;
  before(async () => {
    local = await startLocalEngine();
    store = await local.engine.openBatchStore({ nodeId: "n", cursorFile: "" });
  });
  after(() => local.stop());

  test("do not grow in number with events that come one by one", async () => {
    const write = await createTestWriter(local.engine);
    for (let i = 0; i < SINGLE; i += 1) {
      await write("p", [sampleEvent(`m${i}`, { anonymous_id: `a${i % 5}` })], Date.now());
      await store.flush(AbortSignal.timeout(60_000));
    }
    assert.equal(await selectNumber(local.engine, "SELECT count(*) AS n FROM events"), SINGLE);
    assert.equal(await selectNumber(local.engine, "SELECT sum(events) AS n FROM sessions"), SINGLE);
    for (const table of ["events", "sessions", "ledger"]) {
      const groups = `SELECT count(DISTINCT row_group_id) AS n FROM pragma_storage_info('${table}')`;
      assert.ok((await selectNumber(local.engine, groups)) <= 5, table);
    }
  });

  test("of a day do not keep the rows of sessions that visitors have come back to", async () => {
    const write = await createTestWriter(local.engine, "returning");
    const visitors = 400;
    let events = 0;
    for (let batch = 0; batch < 14; batch += 1) {
      // By a stride that is no divisor: each batch has other 250 of them.
      const batchEvents = Array.from({ length: 250 }, (_, i) =>
        sampleEvent(`r${batch}-${i}`, { anonymous_id: `r${(batch * 37 + i * 7) % visitors}` }),
      );
      await write("returning", batchEvents, Date.now());
      events += batchEvents.length;
    }
    const of = "FROM sessions WHERE project_id = 'returning'";
    assert.equal(await selectNumber(local.engine, `SELECT sum(events) AS n ${of}`), events);
    assert.equal(await selectNumber(local.engine, `SELECT count(*) AS n ${of}`), visitors);
    // 3,500 row ids if none were moved.
    const ids = await selectNumber(local.engine, `SELECT max(rowid) - min(rowid) AS n ${of}`);
    assert.ok(ids <= 4 * visitors + 250, `${ids} row ids`);
  });

  test("hold what a batch brings, so that it is written once", async () => {
    await local.run("CREATE TABLE t (a BIGINT)");
    await local.run(`INSERT INTO t SELECT range FROM range(${ROW_GROUP_ROWS * 2 + 5})`);
    const groups = await local.engine.select<{ rows: number }>(GROUPS);
    assert.deepEqual(
      groups.rows.map(({ rows }) => rows),
      [ROW_GROUP_ROWS, ROW_GROUP_ROWS, 5],
    );
  });

  test("of a file of an older release stay, and new rows get smaller ones", async () => {
    const dir = mkdtempSync(join(tmpdir(), "duckdb-"));
    const path = join(dir, "it's older.duckdb");
    const older = await DuckDBInstance.create(path, { storage_compatibility_version: "latest" });
    const connection = await older.connect();
    await connection.run("CREATE TABLE t AS SELECT range AS a FROM range(100000)");
    connection.closeSync();
    older.closeSync();
    const database = await openDatabase(path, DEFAULT_LIMITS);
    try {
      for (let batch = 0; batch < 40; batch += 1) {
        const first = 100_000 + batch * 1_000;
        await database.write((writer) =>
          writer.run(`INSERT INTO t SELECT range FROM range(${first}, ${first + 1_000})`),
        );
        if (batch % 9 === 8) await database.alone((writer) => writer.run("FORCE CHECKPOINT"));
      }
      await database.write((writer) => writer.run("DELETE FROM t WHERE a % 10 = 3"));
      await database.alone((writer) => writer.run("FORCE CHECKPOINT"));
      const { rows } = await database.select<{ n: number; sum: number }>("SELECT count(*) AS n, sum(a) AS sum FROM t");
      assert.deepEqual(rows, [{ n: 126_000, sum: 8_819_958_000 }]);
      const sizes = (await database.select<{ rows: number }>(GROUPS)).rows.map((group) => group.rows);
      assert.equal(sizes[0], 100_000);
      assert.ok(sizes.slice(1).every((size) => size <= ROW_GROUP_ROWS));
    } finally {
      await database.close();
      rmSync(dir, { recursive: true });
    }
  });
});

describe("a rebuild of a file of an older release", () => {
  test("moves the events of large row groups to small ones, whole and in their order", async (t) => {
    const { open, dir } = await makeOlderFile();
    t.after(() => rmSync(dir, { recursive: true }));
    const engine = await open();
    try {
      const contents = `SELECT count(*) AS n, CAST(sum(hash(message_id, received_at, properties) % 1000003) AS BIGINT) AS sum
        FROM events`;
      const before = (await engine.select(contents)).rows;
      assert.ok((await sizesOf(engine)).some((rows) => rows > ROW_GROUP_ROWS));
      const seen: number[] = [];
      await engine.maintenance.rebuild((done) => void seen.push(done), new AbortController().signal);
      assert.deepEqual((await engine.select(contents)).rows, before);
      const sizes = await sizesOf(engine);
      assert.ok(
        sizes.every((rows) => rows <= ROW_GROUP_ROWS),
        String(sizes),
      );
      assert.equal(await selectNumber(engine, "SELECT sum(events) AS n FROM sessions"), 3 * ROW_GROUP_ROWS + 1);
      assert.ok(seen.length > 3, "progress is told for each slice");
      const unsorted = `SELECT count(*) AS n FROM (SELECT received_at < lag(received_at) OVER (ORDER BY rowid) AS is_back FROM events)
        WHERE is_back`;
      assert.ok((await selectNumber(engine, unsorted)) <= 1, "only the newest rows are before the moved ones");
      seen.length = 0;
      await engine.maintenance.rebuild((done) => void seen.push(done), new AbortController().signal);
      assert.deepEqual(seen, [0, 1], "nothing is left to move");
    } finally {
      await engine.close();
    }
  });

  test("makes missing sessions first: until then reports fail, and the writer waits", async (t) => {
    const { open, dir } = await makeOlderFile();
    t.after(() => rmSync(dir, { recursive: true }));
    const engine = await open();
    try {
      await engine.database.write((connection) => connection.run("DROP TABLE sessions"));
      const found: Promise<number>[] = [];
      const sql = "SELECT count(*) AS n FROM duckdb_tables() WHERE table_name = 'sessions'";
      const look = () => void found.push(selectNumber(engine, sql));
      await engine.maintenance.rebuild(look, new AbortController().signal);
      const exists = await Promise.all(found);
      assert.ok(exists.length > 4, String(exists));
      assert.ok(
        exists.slice(1).every((n) => n === 1),
        String(exists),
      );
      assert.equal(await selectNumber(engine, "SELECT sum(events) AS n FROM sessions"), 3 * ROW_GROUP_ROWS + 1);
    } finally {
      await engine.close();
    }
  });

  async function makeOlderFile() {
    const dir = mkdtempSync(join(tmpdir(), "duckdb-"));
    const path = join(dir, "warehouse.duckdb");
    const open = () => openLocalEngine({ path, limits: DEFAULT_LIMITS, nowMs: Date.now });
    const first = await open();
    await first.schema.migrate();
    const write = await createTestWriter(first);
    await write("p", [sampleEvent("m")], Date.now());
    await first.close();
    await addEvents(path, 3 * ROW_GROUP_ROWS);
    return { open, dir };
  }

  /** As a release with DuckDB's own row groups stored them. */
  async function addEvents(path: string, count: number): Promise<void> {
    const older = await DuckDBInstance.create(path, { storage_compatibility_version: "latest" });
    const connection = await older.connect();
    await connection.run(`INSERT INTO events BY NAME
      SELECT e.* REPLACE (message_id || nth AS message_id, received_at + to_milliseconds(nth + 1) AS received_at)
      FROM events AS e, range(${count}) AS numbers(nth) ORDER BY nth`);
    connection.closeSync();
    older.closeSync();
  }

  async function sizesOf(engine: AnalyticsEngine): Promise<number[]> {
    const { rows } = await engine.select<{ rows: number }>(`SELECT sum(count) AS rows FROM pragma_storage_info('events')
      WHERE column_name = 'day' AND segment_type != 'VALIDITY' GROUP BY row_group_id`);
    return rows.map((group) => group.rows);
  }
});

describe("the file of the warehouse", () => {
  let local: TestLocalEngine;
  before(async () => {
    local = await startLocalEngine();
  });
  after(() => local.stop());

  test("is the database of every connection, under the name of the file", async () => {
    const name = "SELECT CAST(current_database() = 'warehouse' AS INTEGER) AS n";
    assert.equal(await selectNumber(local.engine, name), 1);
    await local.engine.database.write(async (connection) => {
      assert.deepEqual((await connection.runAndReadAll("SELECT current_database()")).getRows(), [["warehouse"]]);
    });
  });

  test("is the only one that statements reach", async () => {
    for (const sql of [
      `ATTACH '${join(local.path, "../other.duckdb")}'`,
      `COPY events TO '${join(local.path, "../events.csv")}'`,
      "SELECT * FROM read_text('/etc/hostname')",
      "SELECT * FROM '/etc/hostname'",
      "LOAD httpfs",
    ])
      await assert.rejects(local.run(sql), /Permission Error|disabled|hostname does not exist/, sql);
    await assert.rejects(local.run("SET enable_external_access = true"), /locked/);
  });
});
