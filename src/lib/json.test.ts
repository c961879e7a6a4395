import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDeeper, isNestedDeeper, parseJson } from "./json.ts";

const LIMITS = { depth: 4, values: 1_000, names: 100 };

describe("parseJson", () => {
  const bytes = (text: string) => Buffer.from(text);

  test("accepts what JSON.parse accepts, up to the maximum depth", () => {
    for (const text of ["1", "null", '"a"', '{"a":[1,{"b":"]"}]}', '"\\\\\\""']) {
      assert.deepEqual(parseJson(bytes(text), LIMITS), { ok: true, value: JSON.parse(text) });
    }
  });

  /** Of a large text: a small one costs little however many names it has. The space before a colon is valid JSON. */
  const manyNames = (count: number) =>
    `{"text":"${"x".repeat(32 * 1024)}"${Array.from({ length: count - 1 }, (_, i) => `,"n${i}" : ":"`).join("")}}`;

  test("counts values and names, not commas and colons of texts", () => {
    const table = [`["${",{[:".repeat(10_000)}"]`, manyNames(100), `[${'{"a":1},'.repeat(400)}0]`];
    for (const text of table) assert.equal(parseJson(bytes(text), LIMITS).ok, true, text.slice(0, 20));
  });

  test("gives the reason for everything it rejects", () => {
    const table: [Uint8Array, RegExp][] = [
      [bytes("{"), /not valid JSON/],
      [bytes("[1,]"), /not valid JSON/],
      [new Uint8Array([0x22, 0xc3, 0x22]), /UTF-8/],
      [bytes("[[[[[1]]]]]"), /deeper than 4/],
      [bytes(`[${"0,".repeat(1_000)}0]`), /more than 1000 values/],
      [bytes(`[${"[],".repeat(500)}0]`), /more than 1000 values/],
      [bytes(`[${"{},".repeat(500)}0]`), /more than 1000 values/],
      [bytes(manyNames(101)), /more than 100 different names/],
    ];
    for (const [body, why] of table) {
      const parsed = parseJson(body, LIMITS);
      assert.ok(!parsed.ok);
      assert.match(parsed.why, why);
    }
  });

  test("ignores brackets inside strings, and escaped quotes do not end a string", () => {
    assert.equal(isDeeper('["[[[[[[", "\\"[[[[[["]', 1), false);
    assert.equal(isDeeper('["\\\\", [[]]]', 2), true);
    assert.equal(isDeeper('"unterminated [[[[', 1), false);
  });

  test("treats __proto__ as a plain key", () => {
    const parsed = parseJson(bytes('{"__proto__":{"admin":true}}'), LIMITS);
    assert.ok(parsed.ok);
    assert.equal((parsed.value as { admin?: boolean }).admin, undefined);
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });
});

describe("isNestedDeeper", () => {
  const nested = (levels: number, open: string, close: string) =>
    `${open.repeat(levels)}${open.startsWith("[") ? "" : "1"}${close.repeat(levels)}`;
  const cases: [text: string, levels: number, deeper: boolean][] = [
    ["1", 0, false],
    ['"[[["', 0, false],
    ["null", 0, false],
    ["[]", 0, true],
    ["[]", 1, false],
    ["{}", 1, false],
    [nested(32, "[", "]"), 32, false],
    [nested(33, "[", "]"), 32, true],
    [nested(32, '{"a":', "}"), 32, false],
    [nested(33, '{"a":', "}"), 32, true],
    ['{"a":1,"b":[{"c":[]}]}', 4, false],
    ['{"a":1,"b":[{"c":[]}]}', 3, true],
    ['{"__proto__":{"__proto__":{"a":1}}}', 3, false],
    ['{"__proto__":{"__proto__":{"a":1}}}', 2, true],
    [nested(100_000, "[", "]"), 32, true],
  ];
  for (const [text, levels, deeper] of cases)
    test(`${text.slice(0, 40)} is ${deeper ? "" : "not "}deeper than ${levels}, as its text is`, () => {
      assert.equal(isNestedDeeper(JSON.parse(text), levels), deeper);
      assert.equal(isDeeper(text, levels), deeper);
    });
});
