import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";

const ROOT = resolve(import.meta.dirname, "../..");

test("every threat of the security guide has a countermeasure and existing tests", () => {
  const guide = readFileSync(resolve(ROOT, "docs/security.md"), "utf8");
  const [, table = ""] = /\n\| Threat \| What Sextant does \| Test \|\n\|[-|]+\|\n((?:\|.*\|\n)+)/.exec(guide) ?? [];
  const rows = table.trimEnd().split("\n");
  assert.ok(rows.length >= 8);
  for (const row of rows) {
    const [, threat = "", answer = "", tests = ""] = row.split(" | ").join("|").split("|");
    const files = [...tests.matchAll(/`((?:src|test|scripts)\/[^`]+)`/g)].map(([, file = ""]) => file);
    assert.ok(threat.trim() !== "" && answer.trim() !== "" && files.length > 0, row);
    for (const file of files) assert.ok(existsSync(resolve(ROOT, file)), `${file} is not there: ${row}`);
  }
});
