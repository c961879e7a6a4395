import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bind } from "./params.ts";

/** What ClickHouse takes in a field of a URL. */
const FIELD_BYTES = 128 * 1024;

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
