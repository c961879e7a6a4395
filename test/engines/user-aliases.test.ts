/**
 * What a name means in a user's statement that is an alias of the select list and a column of a table, too. The answers
 * are exact: where the engines once differed, they gave other rows without an error.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sampled } from "../../src/lib/testing.ts";
import { createTestWriter } from "../support/local-engine.ts";
import { onchainEvents } from "../support/onchain-app.ts";
import { askEngine, USER_ENGINES, type UserEngine } from "../support/user-engines.ts";

const NOW_MS = Date.UTC(2026, 2, 20);

type Rows = readonly (readonly unknown[])[];
type Case = readonly [guarantee: string, sql: string, rows: Rows];

/** 200 events: 80 pages, 40 connects, 80 transactions of three chains with a volume of 9,560. */
const CASES: readonly Case[] = [
  [
    "ORDER BY takes the alias of an aggregate",
    "SELECT chain_id, round(sum(volume), 2) AS volume FROM events WHERE chain_id != '' GROUP BY chain_id ORDER BY volume DESC",
    [
      ["8453", 4780],
      ["2", 2400],
      ["1", 2380],
    ],
  ],
  [
    "ORDER BY takes the alias of a changed column",
    "SELECT 0 - volume AS volume FROM users ORDER BY volume LIMIT 2",
    [[-276], [-274]],
  ],
  [
    "ORDER BY takes the alias inside of an expression",
    "SELECT chain_id, sum(volume) AS volume FROM events GROUP BY chain_id ORDER BY -volume, chain_id LIMIT 2",
    [
      ["8453", 4780],
      ["2", 2400],
    ],
  ],
  [
    "ORDER BY takes the alias after a star",
    "SELECT *, 0 - n AS n FROM (SELECT type, count() AS n FROM events GROUP BY type) ORDER BY n, type LIMIT 1",
    [["page", 80, -80]],
  ],
  [
    "ORDER BY takes the replaced column of a star",
    "SELECT * REPLACE (0 - n AS n) FROM (SELECT type, count() AS n FROM events GROUP BY type) ORDER BY n, type LIMIT 1",
    [["page", -80]],
  ],
  [
    "GROUP BY takes the alias",
    "SELECT JSONExtractString(properties, 'rdns') AS rdns, count() FROM events GROUP BY rdns ORDER BY rdns",
    [
      ["", 80],
      ["io.example", 120],
    ],
  ],
  [
    "GROUP BY takes the alias of a constant, also of one that could be a position",
    "SELECT 7 AS type, 'x' AS event, count() FROM events GROUP BY type, event",
    [[7, "x", 200]],
  ],
  [
    "GROUP BY takes the column where the alias is an aggregate",
    "SELECT max(volume) AS volume, count() FROM events GROUP BY volume ORDER BY volume DESC LIMIT 2",
    [
      [139, 2],
      [138, 2],
    ],
  ],
  [
    "GROUP BY takes the column inside of an expression where the alias is an aggregate",
    "SELECT count() AS n, min(type) AS type FROM events GROUP BY lower(type) ORDER BY type",
    [
      [40, "connect"],
      [80, "page"],
      [80, "transaction"],
    ],
  ],
  [
    "GROUP BY takes the column of time where the alias is an aggregate",
    "SELECT max(timestamp) >= min(timestamp) AS ok, sum(n) FROM (SELECT max(timestamp) AS timestamp, count() AS n FROM events GROUP BY toDate(timestamp))",
    [[true, 200]],
  ],
  [
    "grouping takes the column where the alias is an aggregate",
    "SELECT min(type) AS type, grouping(lower(type)) AS g, count() FROM events GROUP BY ROLLUP (lower(type)) ORDER BY g DESC, type LIMIT 2",
    [
      ["connect", 1, 200],
      ["connect", 0, 40],
    ],
  ],
  [
    "GROUP BY takes the column where the alias is made of the alias of an aggregate",
    "SELECT sum(volume) AS v, v + 0 AS volume FROM events GROUP BY volume ORDER BY volume DESC LIMIT 1",
    [[278, 278]],
  ],
  [
    "GROUP BY ALL groups by the alias",
    "SELECT substring(type, 2, 1) AS type, count() FROM events GROUP BY ALL ORDER BY type",
    [
      ["a", 80],
      ["o", 40],
      ["r", 80],
    ],
  ],
  [
    "ROLLUP takes a position, whose column is NULL in the row of all",
    "SELECT type, grouping(type) AS g, count() AS n FROM events GROUP BY ROLLUP (1) ORDER BY 1 DESC NULLS LAST",
    [
      ["transaction", 0, 80],
      ["page", 0, 80],
      ["connect", 0, 40],
      [null, 1, 200],
    ],
  ],
  [
    "ORDER BY takes the alias of a constant after a star, not a position",
    "SELECT *, 3000 AS type FROM (SELECT DISTINCT type FROM events) AS t ORDER BY type, t.type DESC LIMIT 1",
    [["transaction", 3000]],
  ],
  [
    "ROLLUP and grouping take the alias",
    "SELECT substring(type, 2, 1) AS type, count(), grouping(type) FROM events GROUP BY ROLLUP (type) ORDER BY type NULLS FIRST",
    [
      [null, 200, 1],
      ["a", 80, 0],
      ["o", 40, 0],
      ["r", 80, 0],
    ],
  ],
  [
    "HAVING takes the alias, with others, in any case",
    "SELECT chain_id, sum(volume) AS Volume, count() AS n FROM events GROUP BY Chain_ID HAVING VOLUME > 2390 AND n > 2 ORDER BY volume",
    [
      ["2", 2400, 40],
      ["8453", 4780, 40],
    ],
  ],
  [
    "HAVING takes the alias once, not the alias of the alias",
    "SELECT volume + 1 AS volume FROM events GROUP BY volume HAVING volume > 138 ORDER BY 1",
    [[139], [140]],
  ],
  [
    "an aggregate takes the column in every clause",
    "SELECT chain_id, sum(volume) AS volume FROM events GROUP BY chain_id HAVING sum(volume) > 2390 ORDER BY sum(volume)",
    [
      ["2", 2400],
      ["8453", 4780],
    ],
  ],
  [
    "the select list takes the column",
    "SELECT 0 - sum(volume) AS volume, sum(volume) AS plain FROM events",
    [[-9560, 9560]],
  ],
  [
    "WHERE takes the column",
    "SELECT upper(type) AS type, count() FROM events WHERE type = 'page' GROUP BY type",
    [["PAGE", 80]],
  ],
  [
    "WHERE takes an alias that is no column",
    "SELECT volume * 2 AS twice FROM events WHERE twice > 276 ORDER BY twice",
    [[278], [278]],
  ],
  [
    "QUALIFY and the order of a window take the alias",
    "SELECT chain_id, sum(volume) AS volume FROM events GROUP BY chain_id QUALIFY row_number() OVER (ORDER BY volume DESC) <= 2 ORDER BY volume",
    [
      ["2", 2400],
      ["8453", 4780],
    ],
  ],
  [
    "QUALIFY takes the alias of a window function",
    "SELECT sum(volume) OVER (ORDER BY timestamp, message_id) AS volume FROM events WHERE type = 'transaction' QUALIFY volume > 9400 ORDER BY volume",
    [[9421], [9560]],
  ],
  [
    "DISTINCT ON takes the alias",
    "SELECT DISTINCT ON (type) substring(type, 2, 1) AS type FROM events ORDER BY type DESC",
    [["r"], ["o"], ["a"]],
  ],
  [
    "DISTINCT is ordered by the alias inside of an expression",
    "SELECT DISTINCT substring(type, 2, 1) AS type FROM events ORDER BY upper(type)",
    [["a"], ["o"], ["r"]],
  ],
  [
    "an alias stands for the aliases before it",
    "SELECT volume * 2 AS v, v + 1 AS volume FROM events WHERE volume > 137 GROUP BY v, volume HAVING volume > 250 ORDER BY volume",
    [
      [276, 277],
      [278, 279],
    ],
  ],
  [
    "a subquery and a CTE have their own aliases",
    "WITH t AS (SELECT substring(type, 2, 1) AS type, volume FROM events) SELECT upper(type) AS type, n FROM (SELECT type, sum(volume) AS n FROM t GROUP BY type) WHERE type = 'r' GROUP BY type, n HAVING type = 'R'",
    [["R", 9560]],
  ],
  [
    "a join has its alias where two tables have the column",
    "SELECT e.address AS address, sum(e.volume) AS volume FROM events AS e JOIN users AS u ON u.address = e.address GROUP BY address HAVING volume > 275 ORDER BY volume, address",
    [["0x0000000000000000000000000000000000000027", 276]],
  ],
  [
    "a set operation is ordered by the names of its first part, then of the others",
    "SELECT type, count() AS n FROM events GROUP BY type UNION ALL SELECT 'all' AS type, count() AS many FROM events ORDER BY n DESC, type LIMIT 2",
    [
      ["all", 200],
      ["page", 80],
    ],
  ],
  [
    "names ignore case",
    "SELECT X.EVENTS, x.Type FROM (SELECT Type, count() AS events FROM Events GROUP BY TYPE) AS x ORDER BY TYPE LIMIT 1",
    [[40, "connect"]],
  ],
];

for (const { name, skip, start } of USER_ENGINES)
  describe(`aliases that are columns, too, on ${name}`, { skip }, () => {
    let started: UserEngine;
    before(async () => {
      started = await start();
      const write = await createTestWriter(started.engine);
      await write("p", onchainEvents(NOW_MS), NOW_MS);
    });
    after(() => started.stop());

    test("ORDER BY takes the random values that are shown", async () => {
      const { data } = await askEngine(started, "SELECT rand() AS volume FROM events ORDER BY volume LIMIT 50");
      const values = data.map(({ volume }) => Number(volume));
      assert.deepEqual(
        values,
        values.toSorted((a, b) => a - b),
      );
      assert.ok(new Set(values).size > 1);
    });

    test("an alias of two columns means neither", async () => {
      for (const sql of [
        "SELECT 1 AS a, 2 AS a, a + 10 AS b",
        "SELECT 1 AS a, 2 AS A FROM events WHERE a = 2",
        "SELECT type AS a, event AS a FROM events ORDER BY a",
        "SELECT substring(type, 1, 1) AS type, count() AS type FROM events GROUP BY 1 ORDER BY type",
      ])
        await assert.rejects(askEngine(started, sql), /Two columns have the alias/, sql);
      await askEngine(started, "SELECT type AS a, event AS a FROM events ORDER BY type LIMIT 1");
    });

    for (const [guarantee, sql, rows] of name === "DuckDB" ? CASES : sampled(CASES, 6))
      test(guarantee, async () => {
        const { data } = await askEngine(started, sql);
        assert.deepEqual(
          data.map((row) => Object.values(row)),
          rows,
        );
      });
  });
