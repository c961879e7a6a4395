import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toResultsPage } from "./results-page.ts";

const charts = ["a", "b", "c", "d", "e"].map((id) => ({ id }));
const answersOf = (sizes: Record<string, number>) =>
  new Map(Object.entries(sizes).map(([id, size]) => [id, { text: id.repeat(size) }]));

describe("a page of results", () => {
  test("has the answers in their order up to its size, and says of the others how to get them", () => {
    const failed = [{ chartId: "d", error: "There is no such segment" }];
    const page = toResultsPage(charts, { answers: answersOf({ a: 40, b: 70, c: 60, e: 1 }), failed }, 100);
    assert.deepEqual(
      page.shown.map(({ chart, text }) => [chart.id, text.length]),
      [
        ["a", 40],
        ["c", 60],
      ],
    );
    const long = "The answers of a page have at most 100 characters: ask this chart by itself";
    assert.deepEqual(page.failed, [{ chartId: "b", error: long }, ...failed, { chartId: "e", error: long }]);
  });

  test("of usual answers is whole", () => {
    const page = toResultsPage(charts, { answers: answersOf({ a: 1, b: 2, c: 3, d: 4, e: 5 }), failed: [] });
    assert.deepEqual([page.shown.length, page.failed], [5, []]);
  });
});
