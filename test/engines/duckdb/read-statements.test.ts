import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { toReadStatement } from "../../../src/engines/duckdb/statement.ts";
import { SEED } from "../../../src/lib/testing.ts";
import { startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";

/** What ends or changes a text in some language or other. */
const HARD = [
  "",
  "'",
  "''",
  "\\'; DROP TABLE events; --",
  "a' OR '1' = '1",
  '"',
  "$$x$$",
  "$1",
  "{x:String}",
  "%_\\",
  "/* */ -- x",
  "line\nline\r\n\ttab",
  "\u00a0\u2003\ufeff",
  "na\u0308ive ✓ 🦊",
  "a\0b",
];

describe("values of a read", () => {
  let local: TestLocalEngine;
  before(async () => {
    local = await startLocalEngine();
  });
  after(() => local.stop());

  const select = async (sql: string, params: Readonly<Record<string, unknown>>) =>
    (await local.engine.select<Record<string, unknown>>(sql, { params })).rows[0];

  const comesBack = async (text: string, others: readonly string[]) => {
    const sql = `SELECT {x:String} AS x, {l:Array(String)} AS l, {x:String} IN {l:Array(String)} AS is_in,
      {x:String} NOT IN {l:Array(String)} AS is_out`;
    const is = others.includes(text);
    assert.deepEqual(await select(sql, { x: text, l: others }), { x: text, l: others, is_in: is, is_out: !is });
  };

  test("come back as they were given, whatever a text has in it", async () => {
    for (const text of HARD) await comesBack(text, HARD);
    for (const text of HARD) await comesBack(text, []);
    const texts = fc.string({ unit: "binary", maxLength: 12 });
    await fc.assert(fc.asyncProperty(texts, fc.array(texts, { maxLength: 60 }), comesBack), {
      seed: SEED,
      numRuns: 25,
    });
  });

  test("have the type that the statement gives them", async () => {
    const sql = `SELECT {d:Date} - 1 AS d, {n:Int64} + 1 AS n, {u:UInt32} AS u, {f:Float64} / 2 AS f,
      typeof({n:Int64}) AS t, {big:UInt64} = 18446744073709551615 AS is_big, DATE '2026-02-03' IN {days:Array(Date)} AS is_in`;
    const params = { d: "2026-03-01", n: -5, u: 7, f: 2.5, big: 18446744073709551615n, days: ["2026-02-03"] };
    assert.deepEqual(await select(sql, params), {
      d: "2026-02-28",
      n: -4,
      u: 7,
      f: 1.25,
      t: "BIGINT",
      is_big: true,
      is_in: true,
    });
  });

  test("that are not there are in no list and out of none", async () => {
    const sql = `SELECT count(*) FILTER (WHERE x IN {l:Array(String)}) AS n, count(*) FILTER (WHERE x NOT IN {l:Array(String)}) AS m
      FROM (SELECT unnest(['a', 'b', NULL]) AS x)`;
    assert.deepEqual(await select(sql, { l: ["a"] }), { n: 1, m: 1 });
    assert.deepEqual(await select(sql, { l: Array.from({ length: 51 }, () => "a") }), { n: 1, m: 1 });
  });

  test("are bound where they are many or cannot be written, and the others are written", () => {
    const many = Array.from({ length: 51 }, String);
    const bound = (params: Readonly<Record<string, unknown>>) =>
      Object.keys(toReadStatement("{a:Array(String)} {b:String} {c:Int64}", params).values);
    assert.deepEqual(bound({ a: ["x"], b: "y", c: 1 }), []);
    assert.deepEqual(bound({ a: many, b: "y", c: 1 }), ["a"]);
    for (const text of ["\0", "'", '"', "\\", "$", "\n", "\u007f", "\ud800"])
      assert.deepEqual(bound({ a: ["x", text], b: `x${text}`, c: 1 }), ["a", "b"]);
    assert.deepEqual(bound({ a: ["a b", "ü✓🦊", "100 %_;--/*{x}"], b: "", c: -1 }), []);
  });
});
