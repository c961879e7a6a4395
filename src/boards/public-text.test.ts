import assert from "node:assert/strict";
import { test } from "node:test";
import { createPublicTexts } from "./public-text.ts";

const toText = (meta: readonly string[], data: readonly object[]) =>
  JSON.stringify({ meta: meta.map((name) => ({ name, type: "String" })), data, rows: data.length });

test("the project is left out wherever its column stands, and nothing else changes", () => {
  const toPublic = createPublicTexts();
  const others = { name: 'a "project_id":"prj_1", b', other: "prj_1" };
  for (const columns of [
    { project_id: "prj_1", ...others },
    { ...others, project_id: "prj_1" },
    { name: others.name, project_id: "prj_1", other: "prj_1" },
  ]) {
    const text = toText(Object.keys(columns), [columns, columns]);
    const shown = toPublic({ columns: [], rows: 2, text }, "prj_1");
    assert.equal(shown, toText(Object.keys(others), [others, others]));
  }
  const alone = toPublic({ columns: [], rows: 1, text: toText(["project_id"], [{ project_id: "prj_1" }]) }, "prj_1");
  assert.equal(alone, toText([], [{}]));
});
