/**
 * Follows each recipe of docs/recipes in a copy of the repository, as a contributor does. A block whose first line names a
 * file is a new file, or lines after or before the first line that holds a text; a block of `sh` is run. `NNNN` in the
 * name of a new file is the next number of its folder; in the blocks that follow, `NNNN` and `N` are the same number.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, test } from "node:test";

const ROOT = resolve(import.meta.dirname, "../..");
const RECIPES = join(ROOT, "docs/recipes");
const INSTALLED = ["node_modules", "dashboard/node_modules"];
const TIMEOUT_MS = 900_000;

interface Step {
  readonly language: string;
  /** The title of the block: a path, and where in it. */
  readonly title: string;
  readonly text: string;
}

function stepsOf(recipe: string): Step[] {
  return [...recipe.matchAll(/^(`{3,})(\w+)(?: ([^\n]+))?\n([\s\S]*?)^\1$/gm)].map(
    ([, , language = "", title = "", text = ""]) => ({
      language,
      title,
      text,
    }),
  );
}

function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), "recipe-"));
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter((name) => name !== "" && existsSync(join(ROOT, name))))
    cpSync(join(ROOT, file), join(copy, file));
  for (const folder of INSTALLED)
    if (existsSync(join(ROOT, folder))) symlinkSync(join(ROOT, folder), join(copy, folder));
  return copy;
}

/** The next number of the files of a folder. */
function nextNumber(folder: string): number {
  return Math.max(0, ...readdirSync(folder).map((file) => Number(/^(\d{4})_/.exec(file)?.[1] ?? 0))) + 1;
}

const numbered = (text: string, number: number) =>
  text.replaceAll("NNNN", String(number).padStart(4, "0")).replace(/\bN\b/g, String(number));

/** `path`, `path after "text"` or `path before "text"`. */
function write(copy: string, { title, text }: Step): void {
  const [, path = "", where, mark = ""] = /^(\S+)(?: (after|before) "(.+)")?$/.exec(title) ?? assert.fail(title);
  const file = join(copy, path);
  if (where === undefined) {
    assert.ok(!existsSync(file), `${path} is there already`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes(mark));
  assert.notEqual(at, -1, `${path} has no line with ${mark}`);
  lines.splice(where === "after" ? at + 1 : at, 0, text.replace(/\n$/, ""));
  writeFileSync(file, lines.join("\n"));
}

function run(copy: string, command: string): void {
  // Else the runner believes that it is called by itself, and runs nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const path = `${join(ROOT, "node_modules/.bin")}:${env.PATH}`;
  const done = spawnSync("sh", ["-e", "-c", command], { cwd: copy, encoding: "utf8", env: { ...env, PATH: path } });
  assert.equal(done.status, 0, `${command}\n${done.stdout.slice(-4_000)}\n${done.stderr.slice(-4_000)}`);
}

describe("a recipe leads to a change that its checks accept", () => {
  for (const name of readdirSync(RECIPES).filter((file) => file !== "README.md"))
    test(name, { timeout: TIMEOUT_MS }, (t) => {
      const copy = copyRepository();
      t.after(() => rmSync(copy, { recursive: true, force: true }));
      const steps = stepsOf(readFileSync(join(RECIPES, name), "utf8"));
      assert.ok(
        steps.some(({ language }) => language === "sh"),
        "nothing checks it",
      );
      let number = 0;
      for (const { language, title, text } of steps) {
        const [path = ""] = title.split(" ");
        if (path.includes("NNNN")) number = nextNumber(join(copy, dirname(path)));
        if (language === "sh") run(copy, text);
        else write(copy, { language, title: numbered(title, number), text: numbered(text, number) });
      }
    });
});
