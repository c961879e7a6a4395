import assert from "node:assert/strict";
import { test } from "node:test";
import { numberLabel } from "../../dashboard/src/panels/number-label.ts";

test("a number is named in the words of the overview, unless its title says it", () => {
  assert.equal(numberLabel("bounce_rate", "Bounce rate"), "");
  assert.equal(numberLabel("bounce_rate", "Growth"), "Bounce rate");
  assert.equal(numberLabel("n", "Swaps"), "n");
});
