import assert from "node:assert/strict";
import { test } from "node:test";
import { addWindows } from "./add-windows.ts";

test("each window is the sum of its own values, for all widths", () => {
  const values = Float64Array.from({ length: 23 }, (_, at) => (at * 7919) % 101);
  for (let width = 1; width <= 30; width += 1) {
    const slow = Array.from(values, (_, last) =>
      values.slice(Math.max(0, last - width + 1), last + 1).reduce((sum, one) => sum + one, 0),
    );
    assert.deepEqual([...addWindows(values, width)], slow, `width ${width}`);
  }
});

test("a large value leaves nothing of itself in the windows after it", () => {
  const values = Float64Array.from([1e17, 0.1, 0.2, 0.3, 0.4]);
  assert.equal(addWindows(values, 2)[4], 0.3 + 0.4);
});

test("a month of windows of five minutes takes as long as their cells, not as all cells of all windows", () => {
  const values = new Float64Array(1_000_000).fill(1);
  const { user } = process.cpuUsage();
  assert.equal(addWindows(values, 8_640).at(-1), 8_640);
  // Cell by cell it would be 8.6 thousand million additions: ten seconds.
  assert.ok(process.cpuUsage().user - user < 2_000_000);
});
