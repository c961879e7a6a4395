import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { keepColumns, withReadColumns, wordsOf } from "./sql-columns.ts";

const lines = (sql: string) => sql.replace(/\s+/g, " ").trim();

describe("columns that nothing reads", () => {
  test("are left out of a SELECT, whatever brackets and commas their expressions have", () => {
    const sql = "SELECT a.x AS x, if(a.y = ',', [1, 2], []) AS y, max(a.z) OVER (PARTITION BY a.x, a.y) AS z FROM a";
    assert.equal(lines(keepColumns(sql, new Set(["y"]))), "SELECT if(a.y = ',', [1, 2], []) AS y FROM a");
    assert.equal(
      lines(keepColumns(sql, new Set(["z", "x"]))),
      "SELECT a.x AS x, max(a.z) OVER (PARTITION BY a.x, a.y) AS z FROM a",
    );
  });

  test("leave one column for rows that are only counted, and never a star", () => {
    assert.equal(lines(keepColumns("SELECT a, b FROM t", new Set())), "SELECT a FROM t");
    assert.equal(lines(keepColumns("SELECT t.*, a AS b FROM t", new Set())), "SELECT t.* FROM t");
  });

  test("are left out of every CTE, from the last to the first", () => {
    const ctes = [
      { name: "one", sql: "SELECT a, b, c FROM t" },
      { name: "two", sql: "SELECT o.a AS d, o.b AS e FROM one AS o WHERE o.a > 0" },
    ];
    assert.equal(
      lines(withReadColumns(ctes, "SELECT d FROM two")),
      "WITH one AS ( SELECT a FROM t ), two AS ( SELECT o.a AS d FROM one AS o WHERE o.a > 0 ) SELECT d FROM two",
    );
  });

  test("are found by the words of what reads them", () => {
    assert.deepEqual([...wordsOf("SELECT s.day", "max(hits)")], ["SELECT", "s", "day", "max", "hits"]);
  });
});
