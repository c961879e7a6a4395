/**
 * What the engines once answered differently and now do not, and every difference that is left. Those are named in
 * docs/sql.md.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { StatementRefused } from "../../src/engines/user-sql/statement-refused.ts";
import { sampled } from "../../src/lib/testing.ts";
import { createTestWriter } from "../support/local-engine.ts";
import { onchainEvents } from "../support/onchain-app.ts";
import { askEngine, USER_ENGINES, type UserAnswer, type UserEngine } from "../support/user-engines.ts";

const NOW_MS = Date.UTC(2026, 2, 20);
const NOTHING = "FROM events WHERE type = 'nothing'";

type Same = readonly [sql: string, rows: readonly (readonly unknown[])[]];

const SAME: readonly Same[] = [
  [
    "SELECT round(2.5), round(-2.5), round(0.125, 2), round(-0.125, 2), round(25, -1), round(NULL)",
    [[3, -3, 0.13, -0.13, 30, null]],
  ],
  // One step below a half, and an odd number beyond which doubles have no halves.
  ["SELECT round(toFloat64('0.49999999999999994')), round(toFloat64('4503599627370497'))", [[0, 4503599627370497]]],
  ["SELECT round(volume / 8, 1) FROM events WHERE volume > 0 ORDER BY volume LIMIT 1", [[12.5]]],
  [
    "SELECT arrayJoin([1, 2]), unnest(['a', 'b', 'c'])",
    [
      [1, "a"],
      [2, "b"],
      [null, "c"],
    ],
  ],
  [
    `SELECT min(volume), max(volume), any(type), sum(volume), avg(volume), argMax(type, volume) ${NOTHING}`,
    [[null, null, null, null, null, null]],
  ],
  [`SELECT median(volume), mode(type), stddevPop(volume), corr(volume, volume) ${NOTHING}`, [[null, null, null, null]]],
  [`SELECT count(), uniq(type), groupArray(type) ${NOTHING}`, [[0, 0, []]]],
  ["SELECT sumIf(volume, type = 'nothing'), modeIf(type, type = 'connect') FROM events", [[null, "connect"]]],
  [
    "SELECT lengthUTF8('жук'), char_length('жук'), length('жук'), length([1, 2]), length(splitByChar(',', 'a,b'))",
    [[3, 3, 3, 2, 2]],
  ],
  ["SELECT length(types), length(name) FROM (SELECT groupArray(type) AS types, 'жук' AS name FROM events)", [[200, 3]]],
  ["SELECT length(activity_dates) FROM users ORDER BY address LIMIT 1", [[2]]],
  [
    "SELECT date_trunc('week', toDateTime('2026-03-20 01:02:03')), date_trunc('hour', toDate('2026-03-20'))",
    [["2026-03-16 00:00:00", "2026-03-20 00:00:00"]],
  ],
  ["SELECT intDiv(1, 0), 1 % 0, intDiv(-7, 2), -7 % 3", [[null, null, -3, -1]]],
  ["SELECT [1, 2][0], [1, 2][-1], splitByChar(',', 'a,b')[3], [[1]][1]", [[null, 2, null, [1]]]],
  [
    "SELECT first_value(m) OVER (ORDER BY n), lead(n) OVER (ORDER BY n) FROM (SELECT 1 AS n, NULL AS m UNION ALL SELECT 2, 5) ORDER BY n",
    [
      [null, 2],
      [null, null],
    ],
  ],
  [
    "SELECT type = 'page' AS p, groupArray(type = 'page')[1], toString(type = 'page') FROM events GROUP BY type ORDER BY p, type LIMIT 1",
    [[false, false, "false"]],
  ],
  ["SELECT * FROM (SELECT 1 AS a, 2 AS b) AS x NATURAL JOIN (SELECT 1 AS a, 3 AS c) AS y", [[1, 2, 3]]],
  ["WITH t(a) AS (SELECT 1 AS Foo, 2 AS Bar) SELECT a, b FROM t AS u(a, b)", [[1, 2]]],
  ["SELECT r FROM (SELECT 1 AS a, 'x' AS b) AS r", [[{ a: 1, b: "x" }]]],
];

/** An answer of one value, or "refused"; of ClickHouse also a set, where its versions differ. */
type Different = readonly [sql: string, duckdb: unknown, clickhouse: unknown, documented: string];

const DIFFERENT: readonly Different[] = [
  ["SELECT sqrt(0 - 1) AS x", "refused", null, "outside of their range are NULL"],
  ["SELECT 0.1 + 0.2 AS x", 0.3, 0.30000000000000004, "`0.1 + 0.2` is 0.30000000000000004"],
  ["SELECT round(1.005, 2) AS x", 1.01, 1, "`round(1.005, 2)` 1"],
  ["SELECT toString(1.0) AS x", "1.0", "1", "1.0 is `1`"],
  ["SELECT toDate('1960-01-01') AS x", "1960-01-01", "1970-01-01", "Days are from 1970 to 2149"],
  [
    "SELECT toDateTime('1850-01-01 00:00:00') AS x",
    "1850-01-01 00:00:00",
    // 26.5 and 26.7.
    new Set(["1900-01-01 00:00:00", "1850-01-01 00:00:00"]),
    "times from 1900 to 2299",
  ],
  ["SELECT substring('abc', 0, 2) AS x", "a", "", "`substring(text, 0, n)` is empty"],
  ["SELECT any(l) AS x FROM (SELECT [1] AS l) WHERE 1 = 0", null, [], "arrays over no rows is an empty array"],
  ["SELECT [1, 'a'] AS x", "refused", [1, "a"], "An array may hold texts and numbers"],
  ["SELECT median(DISTINCT n) AS x FROM (SELECT 1 AS n)", 1, "refused", "`DISTINCT` inside `median`"],
  [
    "SELECT a.n AS x FROM (SELECT 1 AS n) AS a JOIN ((SELECT 1 AS n) AS b JOIN (SELECT 1 AS n) AS c ON b.n = c.n) ON a.n = b.n",
    1,
    "refused",
    "Joins in brackets",
  ],
  ["SELECT 'abc'[1] AS x", "a", "refused", "an item of a text"],
  ["SELECT x.b AS x FROM (SELECT 1 AS a, 2 AS a) AS x(a, b)", 2, "refused", "column lists after a subquery"],
];

const GUIDE = readFileSync(resolve(import.meta.dirname, "../../docs/sql.md"), "utf8").replaceAll(/\s+/g, " ");

for (const { name, skip, start } of USER_ENGINES)
  describe(`answers that once differed, on ${name}`, { skip }, () => {
    let started: UserEngine;
    before(async () => {
      started = await start();
      const write = await createTestWriter(started.engine);
      await write("p", onchainEvents(NOW_MS), NOW_MS);
    });
    after(() => started.stop());

    const rowsOf = ({ data }: UserAnswer) => data.map((row) => Object.values(row));

    for (const [sql, rows] of name === "DuckDB" ? SAME : sampled(SAME, 4))
      test(sql, async () => assert.deepEqual(rowsOf(await askEngine(started, sql)), rows));

    for (const [sql, duckdb, clickhouse, documented] of name === "DuckDB" ? DIFFERENT : sampled(DIFFERENT, 4))
      test(`${sql}: ${documented}`, async () => {
        const answer = await askEngine(started, sql).catch((cause: unknown) => {
          assert.ok(cause instanceof StatementRefused, String(cause));
          return undefined;
        });
        const value = answer === undefined ? "refused" : rowsOf(answer)[0]?.[0];
        const isOneOf = name === "ClickHouse" && clickhouse instanceof Set && clickhouse.has(value);
        if (!isOneOf) assert.deepEqual(value, name === "DuckDB" ? duckdb : clickhouse);
        assert.ok(GUIDE.includes(documented), `docs/sql.md does not say ${documented}`);
      });

    test("a column of the star with the name of another has the name of its table on ClickHouse", async () => {
      const { data } = await askEngine(started, "SELECT *, 2 AS n FROM (SELECT 1 AS n) AS t");
      assert.deepEqual(Object.keys(data[0] ?? {}), name === "DuckDB" ? ["n", "n_1"] : ["t.n", "n"]);
      assert.ok(GUIDE.includes("names a column `n` of the `*` with its table"));
    });

    for (const set of ["GROUPING SETS ((type), ())", "ROLLUP (type)", "CUBE (type)"])
      test(`${set}: NULL for the column that is left out, and all rows are counted`, async () => {
        const sql = `SELECT type, count() AS n FROM events GROUP BY ${set} ORDER BY n DESC, type LIMIT 3`;
        const answer = await askEngine(started, sql);
        assert.deepEqual(rowsOf(answer), [
          [null, 200],
          ["page", 80],
          ["transaction", 80],
        ]);
        assert.deepEqual([answer.total, answer.has_more], [4, true]);
      });

    test("grouping() tells the rows of other sets, which have NULL beside it", async () => {
      const sql = "SELECT type, grouping(type) AS g FROM events GROUP BY ROLLUP (type) ORDER BY g DESC, type LIMIT 2";
      const answer = await askEngine(started, sql);
      assert.deepEqual(rowsOf(answer), [
        [null, 1],
        ["connect", 0],
      ]);
      assert.deepEqual([answer.total, answer.has_more], [4, true]);
    });
  });
