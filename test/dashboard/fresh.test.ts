import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

const DASHBOARD = resolve(import.meta.dirname, "../../dashboard");
const DIST = join(DASHBOARD, "dist");
const WRITE_COPIES = resolve(DASHBOARD, "../src/http/dashboard/write-copies.ts");
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
    const isCopy = (path: string) => path.endsWith(".br") || path.endsWith(".gz");
    const built = filesOf(dir);
    const committed = new Map([...filesOf(DIST)].filter(([path]) => !isCopy(path)));
    assert.deepEqual([...committed.keys()], [...built.keys()]);
    for (const [path, bytes] of built) assert.ok(committed.get(path)?.equals(bytes), path);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("npm pack adds a copy in each encoding of every text, which holds its file", () => {
  const dir = mkdtempSync(join(tmpdir(), "copies-"));
  try {
    mkdirSync(join(dir, "assets"));
    writeFileSync(join(dir, "index.html"), "<!doctype html>");
    writeFileSync(join(dir, "assets/main.js"), "console.log(1);".repeat(99));
    writeFileSync(join(dir, "assets/photo.png"), "png");
    execFileSync(process.execPath, [WRITE_COPIES, dir]);
    const files = filesOf(dir);
    const names = ["assets/main.js", "assets/main.js.br", "assets/main.js.gz", "assets/photo.png", "index.html"];
    assert.deepEqual([...files.keys()], names);
    for (const [ending, unpack] of Object.entries(UNPACK))
      assert.deepEqual(unpack(files.get(`assets/main.js${ending}`) ?? Buffer.of()), files.get("assets/main.js"));
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("git has no compressed copy of the dashboard", () => {
  const listed = execFileSync("git", ["ls-files", "dashboard/dist"], {
    cwd: resolve(DASHBOARD, ".."),
    encoding: "utf8",
  });
  assert.doesNotMatch(listed, /\.(br|gz)$/m);
});
