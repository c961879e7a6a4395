import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { judge, robust } from "./judge.ts";
import type { Condition } from "./metric.ts";

const changed = { kind: "changed", percent: 50, against: "period_before", direction: "any", minDifference: 0 } as const;
const unusual = { kind: "unusual", score: 3.5, direction: "any", minDifference: 0 } as const;
const WEEKS = [100, 104, 96, 108, 92, 100, 102, 98];

const CASES: readonly [string, Condition, number | null, readonly (number | null)[], string][] = [
  ["more than the threshold", { kind: "above", threshold: 10 }, 10.5, [], "met"],
  ["the threshold itself is not above", { kind: "above", threshold: 10 }, 10, [], "unmet"],
  ["less than the threshold", { kind: "below", threshold: 10 }, 9, [], "met"],
  ["the threshold itself is not below", { kind: "below", threshold: 10 }, 10, [], "unmet"],
  ["no value", { kind: "below", threshold: 10 }, null, [], "no_data"],
  ["no events", { kind: "no_data" }, 0, [], "met"],
  ["one event", { kind: "no_data" }, 1, [], "unmet"],
  ["half more", changed, 150, [100], "unmet"],
  ["more than half more", changed, 151, [100], "met"],
  ["more than half less", changed, 49, [100], "met"],
  ["less, where only more counts", { ...changed, direction: "up" }, 10, [100], "unmet"],
  ["more, where only less counts", { ...changed, direction: "down" }, 1000, [100], "unmet"],
  ["three times as much of almost nothing", { ...changed, minDifference: 10 }, 3, [1], "unmet"],
  ["a number below zero that grows", changed, -40, [-100], "met"],
  ["nothing before", changed, 5, [0], "no_data"],
  ["no number before", changed, 5, [null], "no_data"],
  ["no window before", changed, 5, [], "no_data"],
  ["as ever", unusual, 110, WEEKS, "unmet"],
  ["far above", unusual, 120, WEEKS, "met"],
  ["far below", unusual, 80, WEEKS, "met"],
  ["far below, where only more counts", { ...unusual, direction: "up" }, 80, WEEKS, "unmet"],
  ["far above, but less than the smallest difference", { ...unusual, minDifference: 20 }, 120, WEEKS, "unmet"],
  ["three weeks", unusual, 1000, [1, 1, 1], "learning"],
  ["four weeks", unusual, 1000, [1, 2, 1, 2], "met"],
  ["four weeks, one of them without a number", unusual, 1000, [1, 2, null, 2], "learning"],
];

describe("the condition of a metric alert", () => {
  for (const [name, condition, value, compared, verdict] of CASES)
    test(`${condition.kind}: ${name}`, () => assert.equal(judge(condition, value, compared).verdict, verdict));

  test("the bounds of an unusual value are the median and its deviation, which one odd week does not move", () => {
    // Median 100; deviations 0, 0, 2, 2, 4, 4, 8, 8: their median is 3.
    assert.deepEqual(robust(WEEKS), { middle: 100, spread: 1.4826 * 3 });
    const odd = robust([...WEEKS.slice(1), 1_000_000]);
    assert.ok(odd.spread < 10, `${odd.spread}`);
    const { lower, upper } = judge(unusual, 100, WEEKS);
    assert.deepEqual([lower, upper], [100 - 3.5 * 1.4826 * 3, 100 + 3.5 * 1.4826 * 3]);
  });

  test("where most weeks are alike the mean deviation takes the place of the median one", () => {
    assert.deepEqual(robust([5, 5, 5, 9]), { middle: 5, spread: 1.2533 });
    assert.deepEqual(robust([5, 5, 5, 5]), { middle: 5, spread: 0 });
    assert.equal(judge(unusual, 5, [5, 5, 5, 5]).verdict, "unmet");
    assert.equal(judge(unusual, 6, [5, 5, 5, 5]).verdict, "met");
  });
});
