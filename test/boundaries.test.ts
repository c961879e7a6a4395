import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";
import { ROOMS } from "../scripts/generate/rooms.ts";

/** Files of src/ itself may import everything; no folder imports them. */
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

/** The tests of a folder share its `testing.ts`. */
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
  assert.ok(imports.length > 50, "the scan finds imports");
  const wrong = imports.filter(({ from, to }) => {
    const [source, target] = [folderOf(from), folderOf(to)];
    if (source === TOP || source === target) return false;
    if (target === "contract" || target === "lib") return source === "contract" || source === "lib";
    return !(ROOMS[source]?.mayImport ?? []).includes(target);
  });
  assert.deepEqual(
    wrong.map(({ from, to }) => `${relative(SRC, from)} -> ${relative(SRC, to)}`),
    [],
  );
});

test("typebox is code only for commands: the contract has its types", () => {
  const loading = readSources().filter(
    (path) => !isForTests(path) && /^import (?!type )[^;]*from "typebox/m.test(readFileSync(path, "utf8")),
  );
  assert.deepEqual(
    loading.map((path) => relative(SRC, path)),
    ["backup/manifest.ts", "cli/form-actions.ts"],
  );
});

test("there are no import cycles", () => {
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

test("tests beside the sources are pure, and no product code imports their helpers", () => {
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

test("the import table has exactly the folders of src", () => {
  const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(folders.map((folder) => folder.name).sort(), Object.keys(ROOMS).sort());
});
