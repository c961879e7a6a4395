import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fillSql, readSqlParts, withoutComments, withParts } from "./sql.ts";

describe("the placeholders of a statement", () => {
  const sql = "SELECT {value:Expression} FROM {t:Relation} WHERE {c:Condition} AND day = {day:Date} AND {c:Condition}";

  test("are filled everywhere, and parameters stay", () => {
    const filled = "SELECT a$1 FROM {x:Relation} WHERE 1 AND day = {day:Date} AND 1";
    assert.equal(fillSql(sql, { value: "a$1", t: "{x:Relation}", c: "1" }), filled);
  });

  test("each need a text, and each text needs a placeholder", () => {
    assert.throws(() => fillSql(sql, { value: "a", t: "b" }), /needs a text for c/);
    assert.throws(() => fillSql(sql, { value: "a", t: "b", c: "1", d: "2" }), /has no place for d/);
    assert.throws(() => fillSql(sql, { value: "a", t: "b", c: "1", day: "2" }), /has no place for day/);
  });
});

test("a part is found by its name, without its comments, and an unknown name throws", () => {
  const partOf = readSqlParts(new URL("../materialize/sessions.sql", import.meta.url));
  assert.match(partOf("sessions"), /^SELECT/);
  assert.throws(() => partOf("session"), /sessions\.sql has no part session/);
});

test("only a comment on a line of its own is removed", () => {
  assert.equal(withoutComments("-- a\nSELECT '--' -- b\n  -- c\nFROM t\n"), "SELECT '--' -- b\nFROM t\n");
});

test("parts become CTEs of the statement that reads them", () => {
  assert.equal(withParts([], "SELECT 1"), "SELECT 1");
  assert.equal(
    withParts([{ name: "a", sql: "SELECT 1" }], "SELECT * FROM a"),
    "WITH a AS\n(\nSELECT 1\n)\nSELECT * FROM a",
  );
});
