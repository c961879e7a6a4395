import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { openDatabase } from "../../../src/engines/duckdb/database.ts";
import { DEFAULT_LIMITS } from "../../../src/engines/duckdb/limits.ts";
import { createThreads } from "../../../src/engines/duckdb/threads.ts";
import { selectNumber, startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";

const COUNT = "SELECT CAST(current_setting('threads') AS BIGINT) AS n";

describe("the threads of the engine", () => {
  let local: TestLocalEngine;
  let all: number;
  before(async () => {
    local = await startLocalEngine();
    all = await selectNumber(local.engine, COUNT);
  });
  after(() => local.stop());

  /** On the writer's connection, which is no read. */
  const countOn = async (connection: DuckDBConnection) =>
    Number((await connection.runAndReadAll(COUNT)).getRows()[0]?.[0]);

  test("are one while a batch is stored or a checkpoint made, and all of them for what is written next", async () => {
    for (let round = 0; round < 50; round += 1) {
      assert.equal(await local.engine.database.store(countOn), 1);
      assert.equal(await local.engine.database.checkpoint(countOn), 1);
      assert.equal(await local.engine.database.write(countOn), all);
    }
  });

  test("are all of them after a batch that failed", async () => {
    await assert.rejects(
      local.engine.database.store(async () => assert.fail("cut")),
      /cut/,
    );
    assert.equal(await local.engine.database.write(countOn), all);
  });

  test("are all of them for a read beside a batch", async () => {
    const { engine } = local;
    await engine.database.store(async (connection) => {
      assert.equal(await countOn(connection), 1);
      assert.equal(await selectNumber(engine, COUNT), all);
    });
  });

  test("the merging of row groups and the memory are the only settings that can be changed", async () => {
    await assert.rejects(local.run("SET temp_directory = '/tmp'"), /locked/);
    await assert.rejects(local.run("SET allowed_configs = ['memory_limit']"), /locked/);
  });

  test("are left alone by a database that is closed right after a batch, stored or failed", async () => {
    const dir = mkdtempSync(join(tmpdir(), "duckdb-"));
    try {
      for (const isCut of [false, true, false, true]) {
        const database = await openDatabase(join(dir, "w.duckdb"), DEFAULT_LIMITS);
        const stored = database.store(async () => assert.ok(!isCut, "cut"));
        if (isCut) await assert.rejects(stored, /cut/);
        else await stored;
        await database.close();
      }
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  test("that cannot be changed cost time, and no batch and no read", async () => {
    const threads = createThreads({ run: async () => assert.fail("invalidated") });
    assert.equal(await threads.store(async () => 7), 7);
    (await threads.read())();
  });

  test("stay all of them while anything is read, and are one for the rest of a batch", async () => {
    const changes: string[] = [];
    const threads = createThreads({ run: async (sql: string) => void changes.push(sql) as never });
    const ends = [await threads.read(), await threads.read()];
    ends[0]?.();
    await threads.store(async () => undefined);
    assert.deepEqual(changes, []);
    ends[1]?.();
    await threads.store(async () => {
      (await threads.read())();
      await setImmediate();
    });
    await threads.adjusted();
    assert.deepEqual(changes, ["SET threads = 1", "RESET threads", "SET threads = 1"]);
  });

  test("stay one between batches, until something is read", async () => {
    const changes: string[] = [];
    const threads = createThreads({ run: async (sql: string) => void changes.push(sql) as never });
    for (let round = 0; round < 3; round += 1) await threads.store(async () => undefined);
    assert.deepEqual(changes, ["SET threads = 1"]);
    (await threads.read())();
    await threads.adjusted();
    assert.deepEqual(changes, ["SET threads = 1", "RESET threads"]);
  });

  test("are one for a read of the worker beside batches, and all of them where none came for ten seconds", async (t) => {
    const changes: string[] = [];
    const threads = createThreads({ run: async (sql: string) => void changes.push(sql) as never });
    let nowMs = 0;
    t.mock.method(performance, "now", () => nowMs);
    const nothing = async () => undefined;
    await threads.aside(nothing);
    assert.deepEqual(changes, []);
    await threads.store(nothing);
    nowMs = 9_000;
    await threads.checkpoint(nothing);
    await threads.aside(nothing);
    assert.deepEqual(changes, ["SET threads = 1"]);
    nowMs = 11_000;
    await threads.aside(nothing);
    assert.deepEqual(changes, ["SET threads = 1", "RESET threads"]);
  });

  test("stay all of them however many reads run: fewer would wait for the longest, and all others with them", async () => {
    const { engine } = local;
    const stop = new AbortController();
    const long = "SELECT count(*) FROM range(3_000_000) AS a(x), range(1_000_000) AS b(y) WHERE (x * y) % 7919 = 3";
    const endless = Array.from({ length: all }, () => engine.select(long, { signal: stop.signal }));
    const ended = Promise.allSettled(endless);
    let isLongOver = false;
    void ended.then(() => {
      isLongOver = true;
    });
    try {
      for (let round = 0; round < 3; round += 1) {
        assert.equal(await selectNumber(engine, COUNT), all);
        await engine.database.store(async (connection) => assert.equal(await countOn(connection), all));
      }
      assert.equal(isLongOver, false);
    } finally {
      stop.abort();
      await ended;
    }
  });
});
