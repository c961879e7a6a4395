import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { collectInSlices, stringifyInSlices } from "./time-slices.ts";

/** Takes 2 ms, the length of several time slices, for every sixteen items. */
function* slowly(count: number): Iterable<number> {
  for (let nth = 0; nth < count; nth += 1) {
    for (const began = performance.now(); nth % 16 === 0 && performance.now() - began < 2; );
    yield nth;
  }
}

describe("long work in time slices", () => {
  test("collects every item in order, and lets others run in between", async () => {
    let others = 0;
    const other = setInterval(() => (others += 1), 1);
    const collected = await collectInSlices(slowly(160));
    clearInterval(other);
    assert.deepEqual(collected, [...Array(160).keys()]);
    assert.ok(others >= 5, `others ran ${others} times`);
  });

  test("lets others run while a long list is written", async () => {
    let others = 0;
    const list = Array.from({ length: 160 }, (_, nth) => ({ toJSON: () => [...slowly(1)].length + nth }));
    const other = setInterval(() => (others += 1), 1);
    const text = await stringifyInSlices(list);
    clearInterval(other);
    assert.equal(text, JSON.stringify(Array.from({ length: 160 }, (_, nth) => 1 + nth)));
    assert.ok(others >= 5, `others ran ${others} times`);
  });

  for (const length of [0, 1, 15, 16, 17, 32, 100])
    test(`writes a list of ${length} as JSON.stringify does`, async () => {
      const list = Array.from({ length }, (_, nth) => [nth, undefined, { a: "\ud800é", b: undefined }][nth % 3]);
      assert.equal(await stringifyInSlices(list), JSON.stringify(list));
    });
});
