import assert from "node:assert/strict";
import { test } from "node:test";
import { LIFECYCLE_DAYS } from "../contract/lifecycle.ts";
import { stageOf } from "./stage.ts";

const TODAY = "2026-06-30";
const ago = (days: number) => new Date(Date.parse(TODAY) - days * 86_400_000).toISOString().slice(0, 10);

/** Days ago, oldest first -> the stage. */
const CASES: readonly (readonly [readonly number[], string | null])[] = [
  [[], null],
  [[0], "New"],
  [[29], "New"],
  [[30], "Churned"],
  [[100, 31], "Churned"],
  [[40, 4, 3, 2, 1, 0], "Power user"],
  [[40, 10], "Resurrected"],
  [[40, 11, 10], "Returning"],
  [[39, 10], "Returning"],
  [[39, 14], "At Risk"],
  [[70, 45, 20], "At Risk"],
  [[100, 75, 61, 29, 14], "Resurrected"],
];

for (const [days, stage] of CASES)
  test(`a wallet that was active ${days.join(", ") || "no"} days ago is ${stage}`, () => {
    assert.equal(stageOf(days.map(ago), TODAY, LIFECYCLE_DAYS), stage);
  });
