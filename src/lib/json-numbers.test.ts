import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { keepNumbersOf, parseKeepingNumbers, stringifyKeepingNumbers } from "./json-numbers.ts";

describe("numbers that a double cannot hold", () => {
  const texts = [
    '{"a":1e400}',
    '{"a":-1e400,"b":1}',
    '{"a":12345678901234567890}',
    '{"wei":1000000000000000000000000001}',
    '{"a":[1,{"b":12345678901234567890}],"c":{"d":0.12345678901234567890}}',
    '{"a":1E+999,"b":"12345678901234567890"}',
    '{"__proto__":{"a":12345678901234567890}}',
  ];
  for (const text of texts) {
    test(`${text} is written as it was read`, () => {
      assert.equal(stringifyKeepingNumbers(parseKeepingNumbers(text) as object), text);
    });
  }

  test("are ordinary numbers to the code that reads them", () => {
    assert.deepEqual(parseKeepingNumbers('{"a":1e400,"b":12345678901234567890,"c":1.5}'), {
      a: Number.POSITIVE_INFINITY,
      b: 12345678901234567000,
      c: 1.5,
    });
  });

  test("are also written as read in a nested object and in a copy of its fields", () => {
    const event = parseKeepingNumbers('[{"properties":{"amount":1e400},"extra":1e500,"type":"track"}]') as [
      { properties: object; extra: number },
    ];
    assert.equal(stringifyKeepingNumbers(event[0].properties), '{"amount":1e400}');
    const copy = { extra: event[0].extra };
    keepNumbersOf(event[0], copy);
    assert.equal(stringifyKeepingNumbers(copy), '{"extra":1e500}');
  });

  test("ordinary numbers are not kept as text", () => {
    const text = '{"a":1.50,"b":1e3,"c":123456789012345}';
    assert.equal(
      stringifyKeepingNumbers(parseKeepingNumbers(text) as object),
      '{"a":1.5,"b":1000,"c":123456789012345}',
    );
  });
});
