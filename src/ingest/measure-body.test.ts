import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { measureBody } from "./measure-body.ts";

describe("how much a body holds, before it is parsed", () => {
  const CASES: [
    body: string,
    lines: boolean,
    measure: [isOne: boolean, events: number, values: number, depth: number],
  ][] = [
    ["{}", false, [true, 1, 1, 1]],
    ['{"a":1,"b":[1,2]}', false, [true, 1, 4, 2]],
    ['{"a":"{},{},[]","b":"\\"[,"}', false, [true, 1, 2, 1]],
    ["[{},{},{}]", false, [false, 3, 6, 2]],
    [' \n[{"a":[1,2,3]},{}]', false, [false, 2, 7, 3]],
    ["\ufeff[{},{}]", false, [false, 2, 4, 2]],
    ["{}\n{}\n", false, [false, 2, 2, 1]],
    ['{"a":1}\n{"a":[]}\n', true, [false, 2, 3, 2]],
    ["[1]\n[2]", true, [false, 2, 2, 1]],
    ['{"never closed', false, [false, 0, 1, 1]],
    ["", false, [false, 0, 0, 0]],
  ];
  for (const [body, lines, [isOne, events, values, depth]] of CASES)
    test(JSON.stringify(body), () => {
      assert.deepEqual(measureBody(Buffer.from(body), lines), { isOne, events, values, depth });
    });
});
