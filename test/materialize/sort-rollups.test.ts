import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sortRollups } from "../../src/engines/duckdb/sort-rollups.ts";
import { DAY_MS, dayOf } from "../../src/lib/time.ts";
import { startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";

const FIRST_MS = Date.parse("2026-03-01T00:00:00Z");
const DAYS = 12;
/** Each day of each project adds these one after the other, as a materialized day does. */
const DIMENSIONS = ["device", "hour", "page", "referrer"];
const ROWS_A_DAY = DIMENSIONS.length;
const { signal } = new AbortController();

const insertOf = (project: string, day: string) =>
  `INSERT INTO rollups BY NAME SELECT '${project}' AS project_id, DATE '${day}' AS day, unnest(['${DIMENSIONS.join("', '")}']) AS dimension,
   'v' AS value, DATE '1970-01-01' AS seen_before, 3 AS hits, 2 AS sessions, 1 AS visitors, 0 AS revenue, 0 AS volume,
   0 AS bounces, 0 AS active_ms, 0 AS transactions, 3 AS events`;

describe("rollups of many days", () => {
  let local: TestLocalEngine;
  before(async () => {
    local = await startLocalEngine();
    for (let nth = 0; nth < DAYS; nth += 1)
      for (const project of ["p", "q"]) await local.run(insertOf(project, dayOf(FIRST_MS + nth * DAY_MS)));
  });
  after(() => local.stop());

  const read = async (order: string) =>
    (await local.engine.select<Record<string, unknown>>(`SELECT * FROM rollups ORDER BY ${order}`)).rows;
  /** The dimensions of a project in the order in which its rows lie, each once where it follows itself. */
  const dimensionsOf = async (project: string, days = "1 = 1") => {
    const sql = `SELECT dimension FROM rollups WHERE project_id = '${project}' AND ${days} ORDER BY rowid`;
    const { rows } = await local.engine.select<{ dimension: string }>(sql);
    return rows.map(({ dimension }) => dimension).filter((name, at, all) => name !== all[at - 1]);
  };

  test("stay where they are in one row group", async () => {
    const rowids = await read("rowid");
    await sortRollups(local.engine.database, ["p", "q"], signal);
    assert.deepEqual(await read("rowid"), rowids);
  });

  test("lie by dimension within blocks of days, and are the same", async () => {
    const rows = await read("ALL");
    const groupRows = ROWS_A_DAY;
    await sortRollups(local.engine.database, ["p"], signal, { rows: (DAYS / 2) * ROWS_A_DAY, groupRows });
    assert.deepEqual(await read("ALL"), rows);
    const middle = `DATE '${dayOf(FIRST_MS + (DAYS / 2) * DAY_MS)}'`;
    assert.deepEqual(await dimensionsOf("p", `day < ${middle}`), DIMENSIONS);
    assert.deepEqual(await dimensionsOf("p", `day >= ${middle}`), DIMENSIONS);
    assert.equal((await dimensionsOf("p")).length, 2 * DIMENSIONS.length);
    assert.equal((await dimensionsOf("q")).length, DAYS * DIMENSIONS.length);
  });

  test("of one day that is larger than a block stay", async () => {
    const before = await read("rowid");
    await sortRollups(local.engine.database, ["q"], signal, { rows: 1, groupRows: 1 });
    assert.deepEqual(await read("rowid"), before);
  });
});
