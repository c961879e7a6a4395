import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readValueRows, splitValues } from "./value-rows.ts";

const ROWS: readonly [string, string[]][] = [
  ["[1]", ["1"]],
  ['[1, "a,b",[2,3] , {"x":[","]},null]', ["1", '"a,b"', "[2,3]", '{"x":[","]}', "null"]],
  ['["\\"],[","\\\\"]', ['"\\"],["', '"\\\\"']],
  ["[18446744073709551615,0.1]", ["18446744073709551615", "0.1"]],
];

async function* piecesOf(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("the values of a statement's answer", () => {
  for (const [row, values] of ROWS)
    test(`${row} has ${values.length}`, () => assert.deepEqual(splitValues(row), values));

  const answer = '[{"name":"é","type":"String"}]\n["ä"]\n["ß"]\n{"isCut":false}\n';

  test("are read whatever its pieces are", async () => {
    for (const size of [1, 2, 3, 7, 100]) {
      const found = await readValueRows(piecesOf(answer, size), () => false);
      assert.deepEqual(found, { columns: [{ name: "é", type: "String" }], rows: ['["ä"]', '["ß"]'], isWhole: true });
    }
  });

  test("are read until they are enough, and an answer that was cut off is none", async () => {
    const { rows, isWhole } = await readValueRows(piecesOf(answer, 1), (count) => count >= 1);
    assert.deepEqual([rows, isWhole], [['["ä"]'], false]);
    await assert.rejects(
      readValueRows(piecesOf(answer.slice(0, -8), 5), () => false),
      /no end/,
    );
    await assert.rejects(
      readValueRows(piecesOf("", 5), () => false),
      /no end/,
    );
  });
});
