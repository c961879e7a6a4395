import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { identifierOf, textOf, tokenize } from "./sql-tokens.ts";
import { inSomeRound } from "./testing.ts";

const kinds = (sql: string) => tokenize(sql)?.map(({ kind, text }) => `${kind} ${text}`);

describe("tokens of SQL", () => {
  test("together are the text, with comments as blanks", () => {
    const sql =
      "SELECT a.b, 'it''s' -- c'\n, \"x\"\"y\" /* ' */ FROM `t` WHERE n>=1.5e3 # d\n AND c::Int32 || '\\'' != {x:UInt8}";
    const tokens = tokenize(sql) ?? [];
    assert.equal(tokens.map(({ text }) => text).join(""), sql);
    assert.deepEqual(
      tokens.filter(({ kind }) => kind === "string").map(({ text }) => text),
      ["'it''s'", "'\\''"],
    );
    assert.ok(tokens.some(({ kind, text }) => kind === "blank" && text === "-- c'"));
    assert.deepEqual(kinds("n>=1.5e3::Int32"), ["word n", "symbol >=", "number 1.5e3", "symbol ::", "word Int32"]);
  });

  test("are none if a quote or a comment is not closed", () => {
    for (const sql of ["SELECT 'a", 'SELECT "a', "SELECT `a", "'\\'", "SELECT /* a"])
      assert.equal(tokenize(sql), undefined, sql);
  });

  test("are read in time linear in the text, also without an end", () =>
    inSomeRound(3, () => {
      const started = performance.now();
      tokenize(`SELECT '${"''\\\\".repeat(50_000)}`);
      tokenize(`SELECT /*${"/* ".repeat(50_000)}`);
      assert.ok(performance.now() - started < 2_000);
    }));

  test("give the text of a string and the name in quotes", () => {
    const table: [string, string][] = [
      ["'it''s'", "it's"],
      ["'it\\'s'", "it's"],

      ["'a\\\\b'", "a\\b"],
      [String.raw`'\''''`, "''"],
      ["'\\d+\\t\\x41'", "\\d+\tA"],
    ];
    for (const [sql, expected] of table) assert.equal(textOf({ kind: "string", text: sql }), expected);
    assert.equal(identifierOf({ kind: "name", text: '"a""b"' }), 'a"b');
    assert.equal(identifierOf({ kind: "name", text: "`a``b`" }), "a`b");
    assert.equal(identifierOf({ kind: "symbol", text: "(" }), undefined);
  });
});
