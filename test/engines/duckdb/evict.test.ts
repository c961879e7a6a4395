import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createCheckpointer } from "../../../src/engines/duckdb/checkpoint.ts";
import type { Database } from "../../../src/engines/duckdb/database.ts";
import { KEPT_BYTES } from "../../../src/engines/duckdb/evict.ts";
import { ROW_GROUP_ROWS } from "../../../src/engines/duckdb/open-file.ts";
import { selectNumber, startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";
import { waitFor } from "../../support/wait.ts";

const USED = "SELECT CAST(sum(memory_usage_bytes) AS BIGINT) AS n FROM duckdb_memory() WHERE tag = 'BASE_TABLE'";
const SUM = "SELECT CAST(sum(a % 1000) AS BIGINT) AS n FROM filler";
const LIMIT = "SELECT count(*) AS n FROM duckdb_settings() WHERE name = 'memory_limit' AND value = '1.0 GiB'";

describe("what DuckDB has cached", () => {
  let local: TestLocalEngine;
  let sum: number;
  before(async () => {
    local = await startLocalEngine();
    // Half as much again as is kept: hashes are not compressed.
    await local.run(`CREATE TABLE filler AS SELECT hash(range) AS a FROM range(${(KEPT_BYTES * 1.5) / 8})`);
    await local.engine.database.checkpoint((connection) => connection.run("FORCE CHECKPOINT"));
    sum = await selectNumber(local.engine, SUM);
  });
  after(() => local.stop());

  const evict = () => local.engine.database.checkpoint((_, drop) => drop());
  const used = () => selectNumber(local.engine, USED);

  test("stays beside a read", async () => {
    const before = await used();
    assert.ok(before > KEPT_BYTES, String(before));
    const stop = new AbortController();
    const read = local.engine.select("SELECT count(DISTINCT hash(range)) AS n FROM range(200000000)", {
      signal: stop.signal,
    });
    await evict();
    assert.ok((await used()) > KEPT_BYTES);
    stop.abort(new Error("enough"));
    await assert.rejects(read, /enough/);
  });

  test("is dropped to a rest, and the limit of queries is what it was", async () => {
    assert.equal(await selectNumber(local.engine, LIMIT), 1);
    await evict();
    assert.ok((await used()) <= KEPT_BYTES);
    assert.equal(await selectNumber(local.engine, LIMIT), 1);
    assert.equal(await selectNumber(local.engine, SUM), sum);
  });

  test("is dropped without tables in memory: none is written to a file", async () => {
    await local.run(`CREATE TABLE memory.kept AS SELECT hash(range) AS a FROM range(${Math.ceil(KEPT_BYTES / 7)})`);
    await evict();
    assert.equal(await selectNumber(local.engine, "SELECT count(*) AS n FROM duckdb_temporary_files()"), 0);
    await local.run("DROP TABLE memory.kept");
  });

  test("is dropped after the second of two full batches, and not in a pause", async () => {
    const { database } = local.engine;
    const done: string[] = [];
    const watched: Pick<Database, "checkpoint"> = {
      checkpoint: (work) =>
        database
          .checkpoint((connection) => work(connection, async () => void done.push("evicted")))
          .finally(() => done.push("checkpoint")),
    };
    const checkpoints = createCheckpointer({ ...database, ...watched }, local.path);
    const takes = async (checkpoint: () => unknown, what: string[]) => {
      const before = done.length;
      checkpoint();
      await waitFor("a checkpoint", () => done.slice(before).includes("checkpoint"));
      assert.deepEqual(done.slice(before), what);
    };
    await takes(() => checkpoints.stored(ROW_GROUP_ROWS), ["checkpoint"]);
    await takes(() => checkpoints.stored(ROW_GROUP_ROWS), ["evicted", "checkpoint"]);
    await takes(() => checkpoints.runAndMerge(), ["checkpoint"]);
  });
});
