import assert from "node:assert/strict";
import { test } from "node:test";
import { table } from "./output.ts";

test("the heads of a table are words, and its columns are as wide as their widest cell", () => {
  const rows = [
    { id: "key_1", projectId: "prj_1", createdAt: null },
    { id: "key_22", projectId: "p", createdAt: "today" },
  ];
  assert.equal(table(rows), "ID      PROJECT_ID  CREATED_AT\nkey_1   prj_1       -\nkey_22  p           today\n");
});
