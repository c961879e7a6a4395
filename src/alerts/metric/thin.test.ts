import assert from "node:assert/strict";
import { test } from "node:test";
import type { PreviewPoint } from "../../contract/metric-alerts.ts";
import { thin } from "./thin.ts";

const point = (nth: number, value: number | null, state = "ok"): PreviewPoint => ({
  time: new Date(nth * 300_000).toISOString(),
  value,
  state,
});

test("a thinned line has its ends, its extremes and its changes of state, in order", () => {
  const points = Array.from({ length: 8_640 }, (_, nth) => point(nth, nth === 4_321 ? 999 : nth % 7));
  points[5_000] = point(5_000, -5, "firing");
  const kept = thin(points, 1_000);
  assert.ok(kept.length <= 1_000, `${kept.length}`);
  assert.deepEqual([kept[0], kept.at(-1)], [points[0], points.at(-1)]);
  for (const nth of [4_321, 5_000]) assert.ok(kept.includes(points[nth] as PreviewPoint), `${nth}`);
  assert.deepEqual(
    kept,
    kept.toSorted((one, other) => one.time.localeCompare(other.time)),
  );
});

test("a short line stays as it is, also without numbers", () => {
  const points = [point(0, null), point(1, 1)];
  assert.deepEqual(thin(points, 1_000), points);
  assert.equal(
    thin(
      Array.from({ length: 2_000 }, (_, nth) => point(nth, null)),
      1_000,
    ).length <= 1_000,
    true,
  );
});
