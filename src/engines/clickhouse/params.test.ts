import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bind } from "./params.ts";

/** What ClickHouse takes in a field of a URL. */
const FIELD_BYTES = 128 * 1024;

describe("a parameter with a fraction", () => {
  const cases: [value: number | number[], literal: string][] = [
    [-28.6852, "(-28.6852e0)"],
    [2, "(2e0)"],
    [1e21, "(1e+21)"],
    [[0, -28.6852, 5e-324], "[0e0,-28.6852e0,5e-324]"],
    [[], "CAST([], 'Array(Float64)')"],
  ];
  for (const [value, literal] of cases)
    test(`${JSON.stringify(value)} is the literal ${literal}`, () => {
      const type = Array.isArray(value) ? "Array(Float64)" : "Float64";
      const { sql, query } = bind(`SELECT {x:${type}}`, { x: value }, {});
      assert.deepEqual([sql, query.includes("param_x")], [`SELECT ${literal}`, false]);
    });

  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "1); DROP TABLE events", ["1"], null])
    test(`${String(value)} is refused`, () => {
      const type = Array.isArray(value) ? "Array(Float64)" : "Float64";
      assert.throws(() => bind(`SELECT {x:${type}}`, { x: value }, {}), /finite number/);
    });
});

describe("a long parameter", () => {
  for (const [what, char] of Object.entries({ ASCII: "a", "two bytes": "é", "three bytes": "中", "four bytes": "😀" }))
    test(`of ${what} a character goes into the statement before its field is too long as it is sent`, () => {
      for (const count of [100, 20_000, 60_000, 200_000]) {
        const { sql, query } = bind("SELECT {text:String}", { text: char.repeat(count) }, {});
        assert.ok(query.length < FIELD_BYTES, `${count} characters make a query of ${query.length}`);
        assert.equal(sql.includes(char.repeat(count)), !query.includes("param_text="), "in one of the two");
      }
    });
});
