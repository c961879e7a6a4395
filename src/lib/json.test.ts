import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDeeper, parseJson } from "./json.ts";

describe("parseJson", () => {
  const bytes = (text: string) => Buffer.from(text);

  test("takes what JSON.parse takes within the depth", () => {
    for (const text of ["1", "null", '"a"', '{"a":[1,{"b":"]"}]}', '"\\\\\\""']) {
      assert.deepEqual(parseJson(bytes(text), 4), { ok: true, value: JSON.parse(text) });
    }
  });

  test("says why it takes the rest not", () => {
    const table: [Uint8Array, RegExp][] = [
      [bytes("{"), /not valid JSON/],
      [bytes("[1,]"), /not valid JSON/],
      [new Uint8Array([0x22, 0xc3, 0x22]), /UTF-8/],
      [bytes("[[[[[1]]]]]"), /deeper than 4/],
    ];
    for (const [body, why] of table) {
      const parsed = parseJson(body, 4);
      assert.ok(!parsed.ok);
      assert.match(parsed.why, why);
    }
  });

  test("brackets inside strings do not count, escaped quotes do not end a string", () => {
    assert.equal(isDeeper('["[[[[[[", "\\"[[[[[["]', 1), false);
    assert.equal(isDeeper('["\\\\", [[]]]', 2), true);
    assert.equal(isDeeper('"unterminated [[[[', 1), false);
  });

  test("__proto__ is a plain key", () => {
    const parsed = parseJson(bytes('{"__proto__":{"admin":true}}'), 4);
    assert.ok(parsed.ok);
    assert.equal((parsed.value as { admin?: boolean }).admin, undefined);
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });
});
