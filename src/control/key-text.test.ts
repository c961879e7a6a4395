import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createKeyText, hashKey, importProblem, isWellFormed, shownPrefix } from "./key-text.ts";

describe("keys", () => {
  test("have their prefix, at least 160 random bits and a check tail, and never repeat", () => {
    const made = Array.from({ length: 1_000 }, () => createKeyText("api"));
    assert.equal(new Set(made).size, made.length);
    for (const text of made) {
      assert.match(text, /^sxt_[0-9A-Za-z]{33}$/);
      assert.ok(isWellFormed("api", text));
    }
    assert.ok(27 * Math.log2(62) >= 160);
    assert.match(createKeyText("write"), /^sxw_/);
  });

  test("one changed character anywhere is noticed without a database", () => {
    const text = createKeyText("api");
    for (let i = 4; i < text.length; i += 1) {
      const changed = text.slice(0, i) + (text[i] === "x" ? "y" : "x") + text.slice(i + 1);
      assert.equal(isWellFormed("api", changed), false, `position ${i}`);
    }
  });

  test("the two kinds are not interchangeable, foreign keys pass", () => {
    assert.equal(isWellFormed("api", createKeyText("write")), false);
    assert.equal(isWellFormed("write", createKeyText("api")), false);
    assert.equal(isWellFormed("api", "formo_0123456789abcdef"), true);
  });

  test("a text that cannot be imported has a reason", () => {
    const table: [string, RegExp | undefined][] = [
      ["formo_0123456789abcdef", undefined],
      [createKeyText("api"), undefined],
      ["short", /shorter than 16/],
      ["k".repeat(513), /longer than 512/],
      ["has a space in the middle", /space/],
      [createKeyText("write"), /kind, length or check/],
    ];
    for (const [text, expected] of table) {
      const problem = importProblem("api", text);
      if (expected === undefined) assert.equal(problem, undefined);
      else assert.match(problem ?? "", expected);
    }
  });

  test("the shown and stored parts of a key do not reveal it", () => {
    const text = createKeyText("api");
    assert.equal(shownPrefix(text), text.slice(0, 10));
    assert.equal(shownPrefix("1234567890123456"), "12345678");
    assert.notEqual(hashKey(Buffer.alloc(32, 1), text), hashKey(Buffer.alloc(32, 2), text));
  });
});
