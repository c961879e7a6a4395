import assert from "node:assert/strict";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, test } from "node:test";
import { defaultServers } from "../../scripts/generate/openapi.ts";
import { runCli } from "../../src/cli/cli.ts";
import type { CliDeps } from "../../src/cli/deps.ts";
import { ERRORS } from "../../src/contract/errors.ts";
import { SCOPES } from "../../src/contract/scopes.ts";
import { SETTINGS } from "../../src/installation/settings.ts";
import { systemClock } from "../../src/lib/clock.ts";

/** Everything that the guides mention must exist: a stale guide fails here. */
const ROOT = resolve(import.meta.dirname, "../..");
const FILES = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"].map((name) => join(ROOT, name)),
  ...globSync("examples/{,*/}README.md", { cwd: ROOT }).map((name) => join(ROOT, name)),
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(ROOT, "docs", name)),
];
const GUIDES = FILES.map((file) => ({ name: relative(ROOT, file), file, text: readFileSync(file, "utf8") }));

function headingsOf(text: string): string[] {
  const bare = text.replace(/^```[\s\S]*?^```$/gm, "");
  return [...bare.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Path of each command that the CLI has, from its own help. */
async function listCommands(path: readonly string[] = []): Promise<string[]> {
  let help = "";
  const print = (text: string) => {
    help += text;
  };
  const unused = () => assert.fail("help opens nothing");
  const opened = {
    open: unused,
    openEvents: unused,
    backup: unused,
    restore: unused,
    examine: unused,
    sendTestMail: unused,
  };
  const deps = { ...opened, serve: unused, readStdin: unused, apiUrl: unused, eventsUrl: unused };
  const cli: CliDeps = { ...deps, clock: systemClock, out: print, err: print, version: "0" };
  await runCli([...path, "--help"], cli);
  const [, list = ""] = /^Commands:\n([\s\S]*)$/m.exec(help) ?? [];
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
  const below = await Promise.all(names.map((name) => listCommands([...path, name])));
  return [...names.map((name) => [...path, name].join(" ")), ...below.flat()];
}

describe("the guides", () => {
  test("every link leads to an existing file and heading", () => {
    let seen = 0;
    for (const { name, file, text } of GUIDES) {
      for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [path = "", heading] = target.split("#");
        const linked = path === "" ? file : join(dirname(file), path);
        assert.ok(existsSync(linked), `${name}: ${target}`);
        if (heading !== undefined)
          assert.ok(headingsOf(readFileSync(linked, "utf8")).includes(heading), `${name}: ${target}`);
        seen += 1;
      }
    }
    assert.ok(seen > 40);
  });

  test("the index links every guide, and the README links the index", () => {
    const index = readFileSync(join(ROOT, "docs/README.md"), "utf8");
    const own = readdirSync(join(ROOT, "docs")).filter((name) => name !== "README.md");
    assert.deepEqual(
      own.filter((name) => !index.includes(`](${name}`)),
      [],
    );
    assert.match(readFileSync(join(ROOT, "README.md"), "utf8"), /\]\(docs\/README\.md\)/);
  });

  test("every setting, command, path, scope and error code that they mention exists", async () => {
    const commands = await listCommands();
    assert.ok(commands.includes("events replay"));
    const groups = new Set(commands.filter((command) => commands.some((other) => other.startsWith(`${command} `))));
    const paths = new Set(Object.values(defaultServers()).flatMap(({ routes }) => routes.map(({ path }) => path)));
    for (const { name, text } of GUIDES) {
      for (const [setting] of text.matchAll(/SEXTANT_[A-Z_]*[A-Z]/g))
        assert.ok(setting.slice("SEXTANT_".length) in SETTINGS, `${name}: ${setting}`);
      for (const [, first = "", second = ""] of text.matchAll(
        /(?:npx|`|exec \w+) ?sextant ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g,
      )) {
        const command = groups.has(first) && second !== "" ? `${first} ${second}` : first;
        assert.ok(commands.includes(command), `${name}: sextant ${command}`);
      }
      for (const [, scope = ""] of text.matchAll(/`((?:query|forms):\w+)`/g))
        assert.ok((SCOPES as readonly string[]).includes(scope), `${name}: ${scope}`);
      for (const [, code = ""] of text.matchAll(/\b[45]\d\d `([A-Z_]{6,})`/g))
        assert.ok(code in ERRORS, `${name}: ${code}`);
      // A recipe adds the paths that it names.
      if (name.startsWith("docs/recipes/")) continue;
      for (const [, path = ""] of text.matchAll(/(?:GET|POST|PUT|PATCH|DELETE) (\/(?:v0|api|f)\/[\w/{}-]*[\w}])/g))
        assert.ok(paths.has(path) || paths.has(path.replaceAll(/\{(\w+)\}/g, ":$1")), `${name}: ${path}`);
    }
  });
});
