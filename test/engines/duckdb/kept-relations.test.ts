import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { DuckDBConnection } from "@duckdb/node-api";
import { createKeptRelations, type KeptRelations } from "../../../src/engines/duckdb/kept-relations.ts";
import { readRows } from "../../../src/engines/duckdb/rows.ts";
import { KEPT_RELATION, type KeptRelation } from "../../../src/engines/select.ts";
import { startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";

const LIMITS = { rows: 100, tables: 3 };
const TABLES = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'memory'";

async function inTransaction<T>(connection: DuckDBConnection, work: (connection: DuckDBConnection) => Promise<T>) {
  await connection.run("BEGIN TRANSACTION");
  try {
    return await work(connection);
  } finally {
    await connection.run("COMMIT");
  }
}

describe("kept relations", () => {
  let local: TestLocalEngine;
  let kept: KeptRelations;
  before(async () => {
    local = await startLocalEngine();
    await local.run("CREATE TABLE numbers (x BIGINT)");
  });
  after(() => local.stop());
  beforeEach(async () => {
    await local.run("DELETE FROM numbers");
    for (const { table_name } of await tables()) await local.run(`DROP TABLE memory.main.${table_name}`);
    kept = createKeptRelations({ inTransaction, findWrites: () => undefined }, LIMITS);
  });

  const tables = async () => (await local.engine.select<{ table_name: string }>(TABLES)).rows;
  const insert = (count: number) => local.run(`INSERT INTO numbers SELECT range FROM range(1, ${count + 1})`);
  const rows = "SELECT x FROM numbers WHERE x <= {most:Int64}";
  const mark = "SELECT CAST(sum(hash(x)) AS VARCHAR) AS mark, count(*) AS n FROM numbers WHERE x <= {most:Int64}";
  const whole = `SELECT count(*) AS n, 0 AS is_kept FROM (${rows})`;
  const goOn = () => undefined;
  /** How many of the first numbers there are, and whether the relation was kept for the answer. */
  const count = (most: number, text = "SELECT count(*) AS n, 1 AS is_kept FROM", own: Partial<KeptRelation> = {}) =>
    local.engine.database.alone(async (connection) => {
      const statement = { rows, ...own, sql: `${text} ${KEPT_RELATION}`, mark };
      const sql = `SELECT count(*) AS n, 0 AS is_kept FROM (${statement.rows})`;
      const [row] = readRows(await kept.read(connection, sql, { most, other: Math.random() }, statement, goOn));
      return [row?.n, row?.is_kept];
    });

  test("are computed by the first statement, and kept from the second on, whatever else it asks", async () => {
    await insert(10);
    const found = [await count(5), await count(5), await count(5, "SELECT sum(x) AS n, 2 AS is_kept FROM")];
    assert.deepEqual(found, [
      [5, 0],
      [5, 1],
      [15, 2],
    ]);
    assert.equal((await tables()).length, 1);
  });

  test("are made again when their mark is another one, and what was before is dropped", async () => {
    await insert(5);
    await count(5);
    assert.deepEqual(await count(5), [5, 1]);
    await insert(2);
    assert.deepEqual(
      [await count(5), await count(5)],
      [
        [7, 0],
        [7, 1],
      ],
    );
    assert.equal((await tables()).length, 1);
  });

  test("are not made while each statement finds another mark: nobody would read them", async () => {
    for (let more = 1; more <= 4; more += 1) {
      await insert(1);
      assert.deepEqual(await count(5), [more, 0]);
    }
    assert.deepEqual(await tables(), []);
  });

  test("whoever is stopped while a table is made runs no statement after it", async () => {
    await insert(5);
    await count(5);
    let steps = 0;
    const stopped = () => {
      steps += 1;
      if (steps > 1) throw new Error("stopped");
    };
    const statement = { sql: `SELECT count(*) AS n FROM ${KEPT_RELATION}`, rows, mark };
    const asking = local.engine.database.alone((connection) =>
      kept.read(connection, whole, { most: 5 }, statement, stopped),
    );
    await assert.rejects(asking, /stopped/);
    assert.equal((await tables()).length, 1, "the table is there for the next one");
    assert.deepEqual(await count(5), [5, 1]);
  });

  test("are dropped where there are too many, the longest unused first", async () => {
    await insert(10);
    const ask = async (most: number) => [await count(most), await count(most)];
    for (const most of [1, 2, 3]) await ask(most);
    const [oldest] = await tables();
    await count(1);
    await ask(4);
    assert.equal((await tables()).length, LIMITS.tables);
    assert.ok(
      (await tables()).some(({ table_name }) => table_name === oldest?.table_name),
      "it was used",
    );
    assert.deepEqual(await count(1), [1, 1]);
  });

  test("are not kept where they have many rows, and together have no more than allowed", async () => {
    await insert(60);
    for (const _ of ["first", "second", "third"]) assert.deepEqual(await count(60), [60, 0]);
    assert.equal((await tables()).length, 0);
    for (const most of [50, 49, 48]) {
      await count(most);
      assert.deepEqual(await count(most), [most, 1]);
    }
    assert.equal((await tables()).length, 2);
  });

  test("are kept after several statements of the same mark, where they say so", async () => {
    const ask = () => count(5, undefined, { worthAfter: 2 });
    await insert(5);
    assert.deepEqual(
      [await ask(), await ask(), await ask()],
      [
        [5, 0],
        [5, 0],
        [5, 1],
      ],
    );
    await insert(1);
    assert.deepEqual(
      [await ask(), await ask()],
      [
        [6, 0],
        [6, 0],
      ],
    );
    assert.deepEqual(await tables(), [], "nobody can read what was kept before");
    assert.deepEqual(await ask(), [6, 1]);
  });

  test("are not kept where their rows take much memory, and not made again while they are the same", async () => {
    await insert(50);
    const large = "SELECT x, repeat(chr(CAST(65 + x AS INTEGER)), 40000) AS text FROM numbers WHERE x <= {most:Int64}";
    const ask = () => count(50, undefined, { rows: large });
    for (const _ of ["first", "second", "third"]) assert.deepEqual(await ask(), [50, 0]);
    assert.deepEqual(await tables(), []);
  });
});
