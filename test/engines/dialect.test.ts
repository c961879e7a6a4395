/**
 * The SQL that both engines understand: every function and construct that one of them would spell or evaluate
 * differently.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import type { SelectParams } from "../../src/engines/select.ts";
import { startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";

type Case = readonly [construct: string, sql: string, answer: unknown, params?: SelectParams];

/** Numbers from 1 to 3 as rows of `t`, and none as rows of `nothing`. */
const ROWS = `WITH
    t AS (SELECT arrayJoin([1, 2, 3]) AS n),
    nothing AS (SELECT n FROM t WHERE n > 3)`;

const MACROS: readonly Case[] = [
  ["uniqExact", "SELECT uniqExact(n % 2) AS x FROM t", 2],
  ["uniqExact", "SELECT uniqExact(n) AS x FROM nothing", 0],
  ["sumIf", "SELECT sumIf(n, n > 1) AS x FROM t", 5],
  ["sumIf", "SELECT sumIf(n, n > 3) AS x FROM t", 0],
  ["maxIf", "SELECT maxIf(n, n < 3) AS x FROM t", 2],
  ["argMinIf", "SELECT argMinIf(toString(n), n, n > 1) AS x FROM t", "2"],
  ["argMinIf", "SELECT coalesce(argMinIf(toString(n), n, n > 3), '') AS x FROM t", ""],
  ["argMaxIf", "SELECT argMaxIf(toString(n), n, n < 3) AS x FROM t", "2"],
  ["groupUniqArrayIf", "SELECT groupUniqArrayIf(n % 2, n < 3 AND n % 2 = 1) AS x FROM t", [1]],
  ["groupUniqArrayIf", "SELECT groupUniqArrayIf(n, n > 3) AS x FROM t", []],
  ["groupUniqArrayArray", "SELECT groupUniqArrayArray(l) AS x FROM (SELECT [1, 1] AS l FROM t) AS u", [1]],
  ["multiIf", "SELECT multiIf(1 = 2, 'a', 'z') AS x", "z"],
  ["multiIf", "SELECT multiIf(1 = 2, 'a', 1 = 1, 'b', 'z') AS x", "b"],
  ["toDate", "SELECT toDate('2026-03-01') AS x", "2026-03-01"],
  ["toString", "SELECT toString(10) AS x", "10"],
  ["toInt64", "SELECT toInt64('-5') AS x", -5],
  ["toUInt64", "SELECT toUInt64(9223372036854775808) > toUInt64(9223372036854775807) AS x", true],
  ["toFloat64", "SELECT toFloat64(3) / 2 AS x", 1.5],
  ["toInt128", "SELECT toString(toInt128(9223372036854775807) + toInt128(1)) AS x", "9223372036854775808"],
  [
    "toUnixTimestamp64Milli",
    "SELECT toUnixTimestamp64Milli(fromUnixTimestamp64Milli(toInt64(1772323200001))) AS x",
    1772323200001,
  ],
  ["fromUnixTimestamp64Milli", "SELECT toDate(fromUnixTimestamp64Milli(toInt64(86400000))) AS x", "1970-01-02"],
  ["lowerUTF8", "SELECT lowerUTF8('ÉCOLE ЖУК Ω') AS x", "école жук ω"],
  ["startsWith", "SELECT startsWith('%ab', '%') AND NOT startsWith('ab', '%') AND startsWith('ab', '') AS x", true],
  ["endsWith", "SELECT endsWith('ab_', '_') AND NOT endsWith('abc', '_') AND endsWith('ab', '') AS x", true],
  ["has", "SELECT has(['a', 'b'], 'b') AND NOT has(['a'], 'A') AS x", true],
  ["hasAny", "SELECT hasAny(['a', 'b'], ['c', 'b']) AND NOT hasAny(['a'], ['A', 'b']) AS x", true],
  ["splitByChar", "SELECT splitByChar(',', 'a,,b') AS x", ["a", "", "b"]],
  ["splitByChar", "SELECT splitByChar(',', '') AS x", [""]],
  ["arrayDistinct", "SELECT arraySort(arrayDistinct(['b', 'a', '', 'b'])) AS x", ["", "a", "b"]],
  ["notEmpty", "SELECT notEmpty(['a']) AND NOT notEmpty(groupUniqArrayIf(n, n > 3)) AS x FROM t", true],
  ["transform", "SELECT transform('b', ['a', 'b'], [1, 2], 0) AS x", 2],
  ["transform", "SELECT transform('c', ['a', 'b'], [1, 2], 0) AS x", 0],
  ["substringUTF8", "SELECT substringUTF8('жук', 2, 1) AS x", "у"],
  ["lengthUTF8", "SELECT lengthUTF8('жук😀') AS x", 4],
  ["JSONExtractString", `SELECT JSONExtractString('{"a":"b"}', 'a') AS x`, "b"],
  ["JSONExtractString", `SELECT JSONExtractString('{"a/b~c":1.5}', 'a/b~c') AS x`, "1.5"],
  ["JSONExtractString", `SELECT JSONExtractString('{"$.a":true}', '$.a') AS x`, "true"],
  ["JSONExtractString", `SELECT JSONExtractString('{"a":[1.0,"1.0"]}', 'a') AS x`, '[1,"1.0"]'],
  ["JSONExtractString", `SELECT JSONExtractString('{"a":null}', 'a') AS x`, ""],
  ["JSONExtractString", `SELECT JSONExtractString('{}', 'a') AS x`, ""],
  ["JSONExtractKeys", `SELECT arraySort(JSONExtractKeys('{"b":1,"a/b":{"c":2}}')) AS x`, ["a/b", "b"]],
  ["JSONExtractKeys", `SELECT JSONExtractKeys('[1]') AS x`, []],
  ["match", "SELECT match('12', '^[0-9]{2}$') AND NOT match('123', '^[0-9]{2}$') AS x", true],
  ["toFloat64OrNull", "SELECT toFloat64OrNull('-1.5e1') AS x", -15],
  ["toFloat64OrNull", "SELECT coalesce(toFloat64OrNull('x') > 1, 1 = 2) AS x", false],
  ["intDiv", "SELECT intDiv(7, 2) AS x", 3],
  ["bitXor", "SELECT toString(bitXor(toUInt64(9223372036854775808), toUInt64(1))) AS x", "9223372036854775809"],
  ["indexOf", "SELECT indexOf(['a', 'b'], 'b') * 10 + indexOf(['a', 'b'], 'c') AS x", 20],
  ["medianExactLow", "SELECT medianExactLow(m) AS x FROM (SELECT arrayJoin([1, 10, 2, 3]) AS m) AS u", 2],
  ["medianExactHigh", "SELECT medianExactHigh(m) AS x FROM (SELECT arrayJoin([1, 10, 2, 3]) AS m) AS u", 3],
  ["medianExactHigh", "SELECT medianExactHigh(n) AS x FROM t", 2],
  ["groupArrayIf", "SELECT groupArrayIf(n, n = 2) AS x FROM t", [2]],
  ["groupArrayIf", "SELECT groupArrayIf(n, n > 3) AS x FROM t", []],
  ["arrayConcat", "SELECT arrayConcat([1], [3, 2]) AS x", [1, 3, 2]],
  ["arraySort", "SELECT arraySort([2, 10, 1]) AS x", [1, 2, 10]],
  ["cityHash64", "SELECT cityHash64('a') = cityHash64('a') AND cityHash64('a') != cityHash64('b') AS x", true],
  ["arrayJoin", "SELECT sum(m * n) AS x FROM (SELECT n, arrayJoin([1, 2]) AS m FROM t) AS u", 18],
  ["arrayJoin", "SELECT count() AS x FROM (SELECT arrayJoin(groupUniqArrayIf(n, n > 3)) AS m FROM t) AS u", 0],
];

const CONSTRUCTS: readonly Case[] = [
  ["rounding", "SELECT toInt64(floor(2.5 + 0.5)) * 100 + toInt64(floor(-2.5 + 0.5)) AS x", 298],
  [
    "the month of a day",
    "SELECT toInt64(year(toDate('2026-03-09'))) * 12 + toInt64(month(toDate('2026-03-09'))) AS x",
    24_315,
  ],
  ["days between two days", "SELECT toInt64(toDate('2026-03-09') - toDate('2026-03-01')) AS x", 8],
  [
    "the later of two days",
    "SELECT toInt64(greatest(toDate('2026-03-09'), toDate('2026-03-01')) - toDate('2026-03-01')) AS x",
    8,
  ],
  ["distinct values without some", "SELECT uniqExact(if(n = 2, NULL, n)) AS x FROM t", 2],
  ["a text split at its first space", "SELECT substring('a.b /c d', position(' ' IN 'a.b /c d') + 1) AS x", "/c d"],
  ["a sum over nothing", "SELECT coalesce(sum(n), 0) AS x FROM nothing", 0],
  ["count over nothing", "SELECT count() AS x FROM nothing", 0],
  ["countIf", "SELECT countIf(n > 1) AS x FROM t", 2],
  ["if over groups", "SELECT sum(if(n > 1, 1, 0)) AS x FROM t", 2],
  ["argMin of an array", "SELECT argMin([toString(n), 'b'], n)[1] AS x FROM t", "1"],
  ["argMin by a tuple", "SELECT argMin(n, (n % 2, 0 - n)) AS x FROM t", 2],
  ["position", "SELECT position('b' IN 'abc') * 10 + position('' IN 'abc') AS x", 21],
  ["position of nothing", "SELECT position('x' IN 'abc') AS x", 0],
  ["elements of arrays by a number", "SELECT ['a', 'b'][2] AS x", "b"],
  ["rows in rows", "SELECT count() AS x FROM t WHERE (n, n + 1) IN (SELECT n, 3 FROM t)", 1],
  ["days and numbers", "SELECT toDate('2026-02-28') + 1 AS x", "2026-03-01"],
  ["the greatest of days", "SELECT greatest(toDate('2026-02-28'), toDate('2026-03-01')) AS x", "2026-03-01"],
  [
    "a count of all rows beside some of them",
    "SELECT max(x) AS x FROM (SELECT count() OVER () AS x FROM t LIMIT 1) AS u",
    3,
  ],
  ["whole numbers divided", "SELECT 7 / 2 AS x", 3.5],
  ["texts by their bytes", "SELECT max(v) AS x FROM (SELECT arrayJoin(['Z', 'a', '！', '😀']) AS v) AS u", "😀"],
  ["DISTINCT", "SELECT count() AS x FROM (SELECT DISTINCT n % 2 FROM t) AS u", 2],
];

const PARAMETERS: readonly Case[] = [
  ["a text", "SELECT {p:String} AS x", 'it\'s \\ "x" {y:String} \u0000', { p: 'it\'s \\ "x" {y:String} \u0000' }],
  ["a day", "SELECT {p:Date} + 1 AS x", "2026-03-01", { p: "2026-02-28" }],
  ["a number", "SELECT {p:Float64} AS x", 2.5, { p: 2.5 }],
  ["a large number", "SELECT {p:Float64} AS x", 5e20, { p: 5e20 }],
  ["a time", "SELECT {p:Int64} AS x", 1772323200001, { p: 1772323200001 }],
  ["numbers of both kinds", "SELECT 2.5 IN {p:Array(Float64)} AS x", true, { p: [1, 2.5] }],
  ["texts", "SELECT 'b' IN {p:Array(String)} AND 'c' NOT IN {p:Array(String)} AS x", true, { p: ["a", "b"] }],
  ["no texts", "SELECT 'b' NOT IN {p:Array(String)} AS x", true, { p: [] }],
  [
    "limits",
    "SELECT sum(n) AS x FROM (SELECT n FROM t ORDER BY n LIMIT {p:UInt32} OFFSET {q:UInt32}) AS u",
    5,
    { p: 2, q: 1 },
  ],
];

describe("the SQL of both engines, on DuckDB", () => {
  let local: TestLocalEngine;
  let engine: AnalyticsEngine;
  before(async () => {
    local = await startLocalEngine();
    engine = local.engine;
  });
  after(() => local.stop());

  for (const [construct, sql, answer, params] of [...MACROS, ...CONSTRUCTS, ...PARAMETERS]) {
    test(`${construct}: ${sql}`, async () => {
      const { rows } = await engine.select<{ x: unknown }>(`${ROWS}\n${sql}`, params ? { params } : {});
      assert.deepEqual(
        rows.map(({ x }) => x),
        [answer],
      );
    });
  }

  test("every macro has a case", () => {
    const text = readFileSync(new URL("../../src/engines/duckdb/macros.sql", import.meta.url), "utf8");
    const macros = [...text.matchAll(/MACRO (\w+)\(/g)].map(([, name]) => name);
    assert.deepEqual(
      macros.filter((name) => !MACROS.some(([construct]) => construct === name)),
      [],
    );
  });

  test("no common SQL uses unnest, which ClickHouse lacks before 26.5", () => {
    // DuckDB's own relations unnest the scope of a report.
    const inReports = /\bunnest\((?!CAST\(\$scope_)/i;
    const found = ["query/golden", "engines/clickhouse"].flatMap((dir) => {
      const path = join(import.meta.dirname, "..", dir);
      const files = readdirSync(path).filter((file) => file.endsWith(".sql"));
      return files.filter((file) => inReports.test(readFileSync(join(path, file), "utf8")));
    });
    assert.deepEqual(found, []);
  });
});
