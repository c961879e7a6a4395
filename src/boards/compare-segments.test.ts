import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { tellApart } from "../contract/segment-names.ts";
import { ofReport } from "./answer.ts";
import { joinSegments } from "./compare-segments.ts";

const meta = [
  { name: "date", type: "String" },
  { name: "visitors", type: "UInt64" },
];
const answer = (...visitors: number[]) =>
  ofReport({ meta, data: visitors.map((n, day) => ({ date: `2026-03-0${day + 1}`, visitors: n })) });

describe("compared segments", () => {
  test("are the rows of each, in their order, with a last column of its title", async () => {
    const joined = await joinSegments([
      { title: "Phones", answer: await answer(1, 2) },
      { title: 'Desks "all"', answer: await answer(3) },
    ]);
    assert.deepEqual(JSON.parse(joined.text), {
      meta: [...meta, { name: "segment", type: "String" }],
      data: [
        { date: "2026-03-01", visitors: 1, segment: "Phones" },
        { date: "2026-03-02", visitors: 2, segment: "Phones" },
        { date: "2026-03-01", visitors: 3, segment: 'Desks "all"' },
      ],
      rows: 3,
    });
    assert.equal(joined.rows, 3);
  });

  test("of one title are told apart, also from one that is named so", () => {
    assert.deepEqual(tellApart(["A", "A", "B", "A"]), ["A", "A (2)", "B", "A (3)"]);
    assert.deepEqual(tellApart(["A", "A (2)", "A"]), ["A", "A (2)", "A (3)"]);
  });
});
