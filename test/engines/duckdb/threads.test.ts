import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { after, before, describe, test } from "node:test";
import type { DuckDBConnection } from "@duckdb/node-api";
import { createThreads } from "../../../src/engines/duckdb/threads.ts";
import { selectNumber, startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";
import { waitFor } from "../../support/wait.ts";

const ALL = availableParallelism();
const COUNT = "SELECT CAST(current_setting('threads') AS BIGINT) AS n";

describe("the threads of the engine", () => {
  let local: TestLocalEngine;
  before(async () => {
    local = await startLocalEngine();
  });
  after(() => local.stop());

  /** On the writer's connection, which is no read. */
  const countOn = async (connection: DuckDBConnection) =>
    Number((await connection.runAndReadAll(COUNT)).getRows()[0]?.[0]);

  test("are one while a batch is stored, and all of them afterwards", async () => {
    assert.equal(await local.engine.database.store(countOn), 1);
    assert.equal(await selectNumber(local.engine, COUNT), ALL);
  });

  test("are all of them for a read beside a batch, and one again for the rest of the batch", async () => {
    const { engine } = local;
    await engine.database.store(async (connection) => {
      assert.equal(await selectNumber(engine, COUNT), ALL);
      await waitFor("one thread", async () => (await countOn(connection)) === 1);
    });
  });

  test("are all of them after a batch that failed", async () => {
    await assert.rejects(
      local.engine.database.store(async () => assert.fail("cut")),
      /cut/,
    );
    assert.equal(await selectNumber(local.engine, COUNT), ALL);
  });

  test("are all of them for other writes", async () => {
    assert.equal(await local.engine.database.write(countOn), ALL);
  });

  test("are the only setting that can be changed", async () => {
    await assert.rejects(local.run("SET memory_limit = '20GB'"), /locked/);
    await assert.rejects(local.run("SET allowed_configs = ['memory_limit']"), /locked/);
  });

  test("that cannot be changed cost time, and no batch and no read", async () => {
    const threads = createThreads({ run: async () => assert.fail("invalidated") }, 4);
    assert.equal(await threads.store(async () => 7), 7);
    const endRead = await threads.read();
    endRead();
  });

  test("are those of the reads until the last of them ends", async () => {
    const set: string[] = [];
    const threads = createThreads({ run: async (sql: string) => void set.push(sql) as never }, 4);
    await threads.store(async () => {
      const ends = [await threads.read(), await threads.read()];
      ends[0]?.();
      const third = await threads.read();
      ends[1]?.();
      assert.deepEqual(set, ["SET threads = 1", "SET threads = 4"]);
      third();
    });
    const last = await threads.read();
    last();
    assert.equal(set.at(-1), "SET threads = 4");
  });
});
