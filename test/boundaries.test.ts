import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";

/** The import table of ARCHITECTURE.md: a folder may import those beside it, and everybody `contract` and `lib`. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  lib: [],
  materialize: [],
  engines: ["materialize"],
  control: ["engines"],
  ingest: ["control"],
  enrich: [],
  warehouse: ["ingest", "enrich", "materialize", "engines"],
  query: ["materialize", "engines"],
  webhooks: ["control"],
  forms: ["control", "webhooks"],
  http: ["ingest", "query", "control", "forms", "webhooks"],
  installation: ["control", "engines"],
  doctor: ["installation", "ingest", "control", "warehouse", "engines"],
  backup: ["installation", "ingest", "control", "warehouse", "engines"],
  cli: ["control", "forms"],
  service: ["http", "installation", "query", "warehouse", "ingest", "forms", "webhooks", "control", "engines"],
};
/** Files of src/ itself compose everything; nobody below imports them. */
const TOP = "main";
const SRC = resolve(import.meta.dirname, "../src");

interface Import {
  from: string;
  to: string;
}

function folderOf(file: string): string {
  const [first = "", ...rest] = relative(SRC, file).split("/");
  return rest.length === 0 ? TOP : first;
}

function readSources(): string[] {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.map((file) => join(SRC, file));
}

/** `testing.ts` of a folder is what its tests share. */
function isForTests(file: string): boolean {
  return file.endsWith(".test.ts") || basename(file) === "testing.ts";
}

function readImports(): Import[] {
  return readSources().flatMap((path) => {
    const text = readFileSync(path, "utf8");
    const found = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
    return [...found].map((match) => ({ from: path, to: resolve(dirname(path), match[1] ?? "") }));
  });
}

test("every import follows the import table", () => {
  const imports = readImports();
  assert.ok(imports.length > 50, "the scan finds the imports there are");
  const wrong = imports.filter(({ from, to }) => {
    const [source, target] = [folderOf(from), folderOf(to)];
    if (source === TOP || source === target) return false;
    if (target === "contract" || target === "lib") return source === "contract" || source === "lib";
    return !(MAY_IMPORT[source] ?? []).includes(target);
  });
  assert.deepEqual(
    wrong.map(({ from, to }) => `${relative(SRC, from)} -> ${relative(SRC, to)}`),
    [],
  );
});

test("no file imports itself through others", () => {
  const next = new Map<string, string[]>();
  for (const { from, to } of readImports()) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[] = [];
  function walk(file: string, trail: readonly string[]): void {
    if (trail.includes(file))
      cycles.push([...trail.slice(trail.indexOf(file)), file].map((f) => relative(SRC, f)).join(" -> "));
    if (trail.includes(file) || done.has(file)) return;
    for (const target of next.get(file) ?? []) walk(target, [...trail, file]);
    done.add(file);
  }
  for (const file of next.keys()) walk(file, []);
  assert.deepEqual(cycles, []);
});

test("what lies beside the sources for tests is pure, and no product code imports it", () => {
  const outward = /from "(node:(?!assert|buffer|crypto|events|test|timers|url|util|zlib)[^"]*|fastify|pg|undici)"/g;
  const tests = readSources().filter((file) => file.endsWith(".test.ts"));
  const impure = tests.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(outward)].map((match) => `${relative(SRC, file)}: ${match[1]}`),
  );
  const shipped = readImports().filter(({ from, to }) => isForTests(to) && !isForTests(from));
  assert.deepEqual(impure, []);
  assert.deepEqual(
    shipped.map(({ from }) => relative(SRC, from)),
    [],
  );
});

test("every folder of src stands in the import table", () => {
  const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(
    folders.map((folder) => folder.name).filter((name) => !(name in MAY_IMPORT)),
    [],
  );
});
