import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { createKnownScope, withScope } from "../../../src/engines/duckdb/known-scope.ts";
import { SCOPE } from "../../../src/engines/duckdb/scope.ts";
import { withParts } from "../../../src/lib/sql.ts";
import { startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";

const FOUND = `SELECT m.n AS n, s.dirty_from - DATE '2026-01-02' AS clean
FROM marks AS m
INNER JOIN scope AS s ON s.project_id = m.project_id
WHERE m.project_id IN {scope_projects:Array(String)}`;
const SQL = withParts(
  [
    { name: "scope", sql: SCOPE },
    { name: "found", sql: FOUND },
  ],
  "SELECT n, clean FROM found ORDER BY n",
);

/** Marks of a project say how many of its days are clean. */
async function mark(connection: DuckDBConnection, project: string, n: number): Promise<void> {
  await connection.run(`DELETE FROM marks WHERE project_id = '${project}'`);
  await connection.run(`INSERT INTO marks VALUES ('${project}', ${n})`);
  await connection.run(`DELETE FROM rollup_state WHERE project_id = '${project}'`);
  await connection.run(`INSERT INTO rollup_state VALUES ('${project}', DATE '2026-01-01' + ${n}, '1970-01-01',
    '1970-01-01', '1970-01-01', false)`);
}

describe("a known scope", () => {
  let local: TestLocalEngine;
  before(async () => {
    local = await startLocalEngine();
    await local.run("CREATE TABLE marks (project_id VARCHAR, n BIGINT)");
  });
  after(() => local.stop());

  const ask = async (...projects: string[]) => {
    const days = projects.map(() => "2025-01-01");
    const params = { scope_projects: projects, scope_first_days: days, scope_without_bots: [] };
    const { rows } = await local.engine.select<{ n: number; clean: number }>(SQL, { params });
    return rows.map(({ n, clean }) => [n, clean]);
  };

  test("is that after each change, for one project and for several that differ", async () => {
    for (const n of [1, 2, 3]) {
      await local.engine.database.write((connection) => mark(connection, "a", n));
      assert.deepEqual(await ask("a"), [[n, n]]);
      assert.deepEqual(await ask("a"), [[n, n]]);
    }
    await local.engine.database.write((connection) => mark(connection, "b", 3));
    assert.deepEqual(await ask("a", "b"), [
      [3, 3],
      [3, 3],
    ]);
    await local.engine.database.write((connection) => mark(connection, "b", 9));
    assert.deepEqual(await ask("a", "b"), [
      [3, 3],
      [9, 9],
    ]);
    assert.deepEqual(await ask("b"), [[9, 9]]);
  });

  test("is not one of a change that was taken back", async () => {
    await local.engine.database.write((connection) => mark(connection, "c", 4));
    const cut = local.engine.database.write(async (connection) => {
      await mark(connection, "c", 5);
      assert.deepEqual(await ask("c"), [[4, 4]]);
      throw new Error("cut");
    });
    await assert.rejects(cut, /cut/);
    assert.deepEqual(await ask("c"), [[4, 4]]);
  });

  test("and the rows of a statement are those of one moment, while both change", async () => {
    let isDone = false;
    const changes = (async () => {
      for (let n = 0; n < 60; n += 1) await local.engine.database.write((connection) => mark(connection, "d", n));
      isDone = true;
    })();
    let asked = 0;
    while (!isDone) {
      for (const [n, clean] of await ask("d")) assert.equal(clean, n);
      asked += 1;
      await setImmediate();
    }
    await changes;
    assert.ok(asked > 10, `asked ${asked} times`);
  });

  test("is no reason to go on: a read that is stopped between two statements begins no other", async () => {
    const params = { scope_projects: ["a"], scope_first_days: ["2025-01-01"], scope_without_bots: [] };
    for (const most of [0, 1]) {
      let version = 0;
      let asked = 0;
      const known = createKnownScope({ findVersion: () => version++ });
      const goOn = () => assert.ok(asked++ < most, "stopped");
      const read = local.engine.database.alone((connection) => known.read(connection, SQL, params, goOn));
      await assert.rejects(read, /stopped/);
    }
  });

  const LAST = "2026-01-09";
  const row = (project: string, dirty: string) => ({
    project_id: `'${project}'`,
    first_day: "DATE '2025-01-01'",
    dirty_from: `DATE '${dirty}'`,
    running_day: "DATE '9999-12-31'",
    received_to: "TIMESTAMP_MS '1900-01-01'",
    hours_to: "TIMESTAMP_MS '1900-01-01'",
  });

  test("is written into the statement where it is the same for all projects, and joined where it differs", () => {
    const same = withScope(SQL, [row("a", "2026-01-05"), row("b", "2026-01-05")], LAST);
    assert.match(same, /^WITH found AS\n\(\nSELECT m\.n AS n, DATE '2026-01-05' - /);
    assert.doesNotMatch(same, /scope\b(?!_)/);
    const differing = withScope(SQL, [row("a", "2026-01-05"), row("b", "2026-01-06")], LAST);
    assert.match(differing, /^WITH scope\(.*\) AS\n\(\nVALUES \('a', .*\), \('b', /);
    assert.match(differing, /INNER JOIN scope AS s/);
    const unnamed = SQL.replace("WHERE m.project_id IN {scope_projects:Array(String)}", "");
    const ofAll = withScope(unnamed, [row("a", "2026-01-05")], LAST);
    assert.match(ofAll, /DATE '2026-01-05' - [\s\S]*INNER JOIN scope AS s/, "only the join leaves out other projects");
  });

  test("is written under its own name alone: another relation may have the same name, and the same column", () => {
    const other = "SELECT s.received_to AS received_to, s.dirty_from AS dirty_from\nFROM others AS s";
    const parts = [
      { name: "scope", sql: SCOPE },
      { name: "other", sql: other },
      { name: "found", sql: FOUND },
    ];
    const apart = withScope(withParts(parts, "SELECT n FROM found"), [row("a", "2026-01-05")], LAST);
    assert.ok(apart.includes(other));
    assert.match(apart, /DATE '2026-01-05' - /);
    const both = `${FOUND}\nUNION ALL\n${other}`;
    const together = withScope(
      SQL.replace(FOUND, () => both),
      [row("a", "2026-01-05")],
      LAST,
    );
    assert.ok(together.includes(both), "where one relation has both, nothing is written into it");
  });

  test("leaves reads out that have no rows on any day of the statement, and no others", () => {
    const open = `SELECT v.n AS n FROM sessions AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN {scope_projects:Array(String)} AND v.received_to > o.received_to
UNION ALL
SELECT v.n AS n FROM later AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN {scope_projects:Array(String)} AND v.day > o.running_day
UNION ALL
SELECT v.n AS n FROM replaced AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN {scope_projects:Array(String)} AND v.day = o.running_day`;
    const rolledUp = `SELECT r.n AS n FROM rollups AS r
INNER JOIN scope AS s ON s.project_id = r.project_id
WHERE r.project_id IN {projects:Array(String)} AND (r.day < s.dirty_from OR r.day = s.running_day)`;
    const parts = [
      { name: "scope", sql: SCOPE },
      { name: "open_sessions", sql: open },
      { name: "clean", sql: rolledUp },
      { name: "found", sql: "SELECT n FROM open_sessions UNION ALL SELECT n FROM clean" },
    ];
    const readsOf = (running: string, lastDay: string) => {
      const rows = [{ ...row("a", "2026-01-05"), running_day: `DATE '${running}'` }];
      const text = withScope(withParts(parts, "SELECT n FROM found"), rows, lastDay);
      return [...(text.match(/(?<=FROM )(?:sessions|later|replaced)/g) ?? []), /(?<= AND ).*r\.day.*/.exec(text)?.[0]];
    };
    const before = "(r.day < DATE '2026-01-05')";
    assert.deepEqual(readsOf("9999-12-31", LAST), ["sessions", before]);
    assert.deepEqual(readsOf("2026-01-05", "2026-01-05"), ["sessions", "replaced", "r.day <= DATE '2026-01-05'"]);
    const either = "(r.day < DATE '2026-01-05' OR r.day = DATE '2026-01-06')";
    assert.deepEqual(readsOf("2026-01-06", "2026-01-06"), ["sessions", "replaced", either]);
    assert.deepEqual(readsOf("2026-01-06", "2026-01-07"), ["sessions", "later", "replaced", either]);
  });
});
