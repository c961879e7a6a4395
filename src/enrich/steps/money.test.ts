import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sampleDraft } from "../testing.ts";
import { amountOf, putMoney } from "./money.ts";

const CASES: [given: unknown, amount: number][] = [
  [12.5, 12.5],
  [-3, -3],
  [0, 0],
  [-0, 0],
  ["12.50", 12.5],
  [" 7 ", 7],
  ["-.5", -0.5],
  ["+1e3", 1000],
  ["5.", 5],
  [1e9, 1e9],
  [-1e9, -1e9],
  [1e9 + 1, 0],
  [-2e9, 0],
  ["1e400", 0],
  [Number.POSITIVE_INFINITY, 0],
  [Number.NaN, 0],
  ["NaN", 0],
  ["Infinity", 0],
  ["", 0],
  [" ", 0],
  ["0x10", 0],
  ["1,000", 0],
  ["12 USD", 0],
  ["1".repeat(10_000), 0],
  [null, 0],
  [true, 0],
  [[5], 0],
  [{ amount: 5 }, 0],
];

describe("money", () => {
  for (const [given, amount] of CASES) {
    it(`${String(JSON.stringify(given)).slice(0, 30)} (${typeof given}) counts as ${amount}`, () => {
      assert.ok(Object.is(amountOf(given), amount));
    });
  }

  it("is read only from the properties", () => {
    const draft = sampleDraft({ properties: { revenue: "3", points: 4 }, context: { volume: 9 }, raw: { volume: 9 } });
    putMoney(draft);
    assert.deepEqual([draft.row.revenue, draft.row.points, draft.row.volume], [3, 4, 0]);
  });
});
