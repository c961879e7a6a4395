import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";
import { PARTS, ROOMS } from "../scripts/generate/rooms.ts";

/** Files of src/ itself may import everything; no folder imports them. */
const TOP = "main";
const ROOT = resolve(import.meta.dirname, "..");
const SRC = join(ROOT, "src");

interface Import {
  from: string;
  to: string;
}

function folderOf(file: string): string {
  const [first = "", ...rest] = relative(SRC, file).split("/");
  return rest.length === 0 ? TOP : first;
}

function readSources(folder = SRC): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  return files.map((file) => join(folder, file));
}

/** The tests of a folder share its `testing.ts`. */
function isForTests(file: string): boolean {
  return file.endsWith(".test.ts") || basename(file) === "testing.ts";
}

function readImports(folder = SRC): Import[] {
  return readSources(folder).flatMap((path) => {
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

/** The part of a folder that holds a file: the longest that matches. */
function partOf(file: string, folder: string, parts: readonly string[]): string | undefined {
  const path = relative(folder, file).split("/").slice(0, -1);
  for (let depth = path.length; depth > 0; depth -= 1) {
    const [name, each] = [path.slice(0, depth).join("/"), [...path.slice(0, depth - 1), "*"].join("/")];
    if (parts.includes(name) || parts.includes(each)) return name;
  }
  return path.length === 0 && parts.includes(".") ? "." : undefined;
}

/** Faults of the imports inside a folder, and files that are in none of its parts. */
function checkParts(folder: string, parts: Readonly<Record<string, readonly string[]>>, imports: readonly Import[]) {
  const names = Object.keys(parts);
  const isAmong = (part: string, listed: readonly string[]) =>
    listed.includes(part) || listed.includes(part.replace(/[^/]+$/, "*"));
  return imports.flatMap(({ from, to }) => {
    if (relative(folder, to).startsWith("..")) return [];
    const [source, target] = [partOf(from, folder, names), partOf(to, folder, names)];
    if (source === undefined || target === undefined)
      return [`${relative(folder, source === undefined ? from : to)} is in no part`];
    const rule = parts[source] ?? parts[source.replace(/[^/]+$/, "*")] ?? [];
    return source === target || isAmong(target, rule) ? [] : [`${relative(folder, from)} -> ${relative(folder, to)}`];
  });
}

for (const [folder, parts] of Object.entries(PARTS)) {
  test(`every import inside ${folder} follows the table of its parts`, () => {
    const imports = readImports(join(ROOT, folder)).filter(({ from }) => !isForTests(from));
    assert.ok(imports.length > 50, "the scan finds imports");
    assert.deepEqual(checkParts(join(ROOT, folder), parts, imports), []);
  });

  test(`the parts of ${folder} import only parts below them`, () => {
    const names = Object.keys(parts);
    const upward = names.flatMap((name, at) =>
      (parts[name] ?? []).filter((other) => names.indexOf(other) <= at).map((other) => `${name} -> ${other}`),
    );
    assert.deepEqual(upward, []);
  });
}

test("a table of parts finds neighbours, upward imports and strays", () => {
  const parts = { "pages/*": ["charts", "."], charts: ["."], ".": [] };
  const faults = (from: string, to: string) =>
    checkParts("/page", parts, [{ from: `/page/${from}`, to: `/page/${to}` }]);
  for (const [from, to] of [
    ["pages/funnels/steps.ts", "pages/funnels/parts/row.ts"],
    ["pages/funnels/steps.ts", "charts/line.ts"],
    ["charts/line.ts", "theme.ts"],
    ["charts/line.ts", "../lib/time.ts"],
  ] as const)
    assert.deepEqual(faults(from, to), []);
  for (const [from, to] of [
    ["pages/funnels/steps.ts", "pages/flows/steps.ts"],
    ["charts/line.ts", "pages/flows/steps.ts"],
    ["theme.ts", "charts/line.ts"],
  ] as const)
    assert.deepEqual(faults(from, to), [`${from} -> ${to}`]);
  assert.deepEqual(faults("charts/line.ts", "ui/card.ts"), ["ui/card.ts is in no part"]);
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

for (const folder of ["src", "dashboard/src"]) {
  test(`there are no import cycles in ${folder}`, () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of readImports(join(ROOT, folder))) next.set(from, [...(next.get(from) ?? []), to]);
    const done = new Set<string>();
    const cycles: string[] = [];
    function walk(file: string, trail: readonly string[]): void {
      if (trail.includes(file))
        cycles.push([...trail.slice(trail.indexOf(file)), file].map((f) => relative(ROOT, f)).join(" -> "));
      if (trail.includes(file) || done.has(file)) return;
      for (const target of next.get(file) ?? []) walk(target, [...trail, file]);
      done.add(file);
    }
    for (const file of next.keys()) walk(file, []);
    assert.deepEqual(cycles, []);
  });
}

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

test("a route request carries at most eight things: other needs are arguments of a route table", () => {
  const text = readFileSync(join(SRC, "http/route.ts"), "utf8");
  const body = /export interface RouteRequest<[^{]*\{\n([\s\S]*?)\n\}/.exec(text)?.[1] ?? "";
  const fields = [...body.matchAll(/^ {2}(\w+)\??:/gm)].map((match) => match[1]);
  assert.ok(fields.includes("key") && fields.includes("parts"), "the scan finds fields");
  assert.ok(fields.length <= 8, `it has ${fields.length}: ${fields.join(", ")}`);
});
