import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dataPaths, findModeProblem, prepareDataDir } from "../../src/installation/data-dir.ts";

test("a data directory that others can read is warned about, and keeps its mode", {
  skip: process.platform === "win32" && "Windows has no modes",
}, (t) => {
  const parent = mkdtempSync(join(tmpdir(), "mode-"));
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  const paths = dataPaths(join(parent, "data"));
  prepareDataDir(paths);
  assert.equal(findModeProblem(paths), undefined, "one that the service made");
  chmodSync(paths.root, 0o755);
  prepareDataDir(paths);
  assert.match(findModeProblem(paths) ?? "", /\(mode 755\): chmod 700 .*data$/);
});
