import assert from "node:assert/strict";
import { test } from "node:test";
import { foldGroups } from "../../dashboard/src/charts/fold-groups.ts";
import type { FunnelRow } from "../../dashboard/src/charts/funnel-row.ts";

function rowsOf(groups: number): FunnelRow[] {
  return Array.from({ length: groups }, (_, index) =>
    [10 * (groups - index), 2].map((users, at) => ({
      step: at + 1,
      event: "",
      users,
      conversion_from_start: null,
      conversion_from_previous: null,
      median_seconds_from_previous: null,
      median_seconds_from_start: null,
      breakdown: `value ${index + 1}`,
    })),
  ).flat();
}

test("a single small group of a funnel keeps its name", () => {
  for (const groups of [0, 1, 8, 9]) assert.equal(foldGroups(rowsOf(groups)).length, 2 * groups);
});

test("two small groups of a funnel are folded, and their visitors added", () => {
  const folded = foldGroups(rowsOf(10));
  assert.equal(folded.length, 2 * 9);
  const [first, second] = folded.slice(-2);
  assert.deepEqual([first?.breakdown, first?.users, first?.conversion_from_previous], ["Others", 30, null]);
  assert.deepEqual(
    [second?.users, second?.conversion_from_start, second?.conversion_from_previous],
    [4, 4 / 30, 4 / 30],
  );
});
