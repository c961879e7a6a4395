import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

const DASHBOARD = resolve(import.meta.dirname, "../../dashboard");
const DIST = join(DASHBOARD, "dist");
const UNPACK = { ".br": brotliDecompressSync, ".gz": gunzipSync } as const;

function filesOf(dir: string): Map<string, Buffer> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));
  return new Map(paths.sort().map((path) => [path, readFileSync(join(dir, path))]));
}

test("the committed dashboard is built from these sources: npm run build:dashboard", () => {
  const dir = mkdtempSync(join(tmpdir(), "dashboard-"));
  try {
    execFileSync(process.execPath, [join(DASHBOARD, "scripts/build.ts"), dir], { timeout: 200_000 });
    const [built, committed] = [filesOf(dir), filesOf(DIST)];
    assert.deepEqual([...committed.keys()], [...built.keys()]);
    for (const [path, bytes] of built) {
      // Compressed bytes differ between processors, because zlib uses their instructions; the content must not.
      if (!path.endsWith(".br") && !path.endsWith(".gz")) assert.ok(committed.get(path)?.equals(bytes), path);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("every compressed copy holds its file", () => {
  const files = filesOf(DIST);
  let copies = 0;
  for (const [path, bytes] of files) {
    for (const [ending, unpack] of Object.entries(UNPACK)) {
      if (!path.endsWith(ending)) continue;
      copies += 1;
      assert.deepEqual(unpack(bytes), files.get(path.slice(0, -ending.length)), path);
    }
  }
  assert.ok(copies > 10);
});
