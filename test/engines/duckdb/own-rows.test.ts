import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { DuckDBConnection } from "@duckdb/node-api";
import { ROW_GROUP_ROWS } from "../../../src/engines/duckdb/open-file.ts";
import { IS_OWN_ROW } from "../../../src/engines/duckdb/own-rows.ts";
import { startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";

const OWN = `SELECT count(*)::INTEGER, min(a)::INTEGER, max(a)::INTEGER - $first
FROM t WHERE ${IS_OWN_ROW}`;

describe("the rows of a transaction", () => {
  let local: TestLocalEngine;
  before(async () => {
    local = await startLocalEngine();
    await local.run("CREATE TABLE t (a BIGINT)");
  });
  after(() => local.stop());

  const insert = async (connection: DuckDBConnection, first: number, count: number) => {
    await connection.run(`INSERT INTO t SELECT range FROM range(${first}, ${first + count})`);
    return (await connection.runAndReadAll(OWN, { first })).getRows()[0];
  };

  test("are told from those that were committed before", async () => {
    const { database } = local.engine;
    let first = 0;
    // Less than a row group, one, and more than one, which DuckDB writes to the file before the commit.
    for (const count of [7, ROW_GROUP_ROWS, ROW_GROUP_ROWS * 2 + 3, 1]) {
      assert.deepEqual(await database.write((connection) => insert(connection, first, count)), [
        count,
        first,
        count - 1,
      ]);
      first += count;
    }
  });

  test("end with the transaction, committed or rolled back", async () => {
    const { database } = local.engine;
    await assert.rejects(
      database.write(async (connection) => {
        await insert(connection, 0, 10);
        assert.fail("cut");
      }),
      /cut/,
    );
    await database.write(async (connection) => {
      const found = await connection.runAndReadAll(`SELECT count(*)::INTEGER FROM t WHERE ${IS_OWN_ROW}`);
      assert.deepEqual(found.getRows(), [[0]]);
    });
  });
});
