import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChartAnswer } from "./answer.ts";
import { createPublicTexts } from "./public-text.ts";

function answerOf(data: readonly object[], type = "String"): ChartAnswer {
  const columns = Object.keys(data[0] ?? {}).map((name) => ({ name, type }));
  return { columns, rows: data.length, text: JSON.stringify({ meta: columns, data, rows: data.length }) };
}

test("the project is left out wherever its column stands, and nothing else changes", () => {
  const toPublic = createPublicTexts();
  const others = { name: 'a "project_id":"prj_2", b', other: "x" };
  for (const columns of [
    { project_id: "prj_1", ...others },
    { ...others, project_id: "prj_1" },
    { name: others.name, project_id: "prj_1", other: "x" },
  ])
    for (const type of ["String", "LowCardinality(String)"]) {
      const shown = toPublic(answerOf([columns, columns], type), "prj_1");
      assert.equal(shown, answerOf([others, others], type).text);
    }
  assert.equal(toPublic(answerOf([{ project_id: "prj_1" }]), "prj_1"), '{"meta":[],"data":[{}],"rows":1}');
});

test("the project is left out of tuples, other columns and longer texts, and places stay", () => {
  const toPublic = createPublicTexts();
  const data = { metric: ["prj_1", 7], user: [["prj_1", "2026-03-02", 1]], x: "prj_1", path: "/p/prj_1/", prj_1: 1 };
  const shown = { metric: ["", 7], user: [["", "2026-03-02", 1]], x: "", path: "/p//", "": 1 };
  assert.equal(toPublic(answerOf([data]), "prj_1"), answerOf([shown]).text);
});

test("a row that reads like a column is no column", () => {
  const { text, ...rest } = answerOf([{ name: "project_id", type: "String" }]);
  assert.equal(createPublicTexts()({ text, ...rest }, "prj_1"), text);
});
