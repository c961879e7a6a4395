import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeDataDir, readCredentials, startService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

/**
 * What `npm pack` makes, installed as npm would: below node_modules, where Node runs no TypeScript, with the product's
 * packages beside it. They are links to those of this checkout, so the test needs no registry.
 */
const ROOT = resolve(import.meta.dirname, "../..");
const MOST_BYTES = 5_000_000;
/** `sextant` must hand over to the Node of the package `node` when an older one starts it. */
const AS_NODE_20 =
  '--import=data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.0.0"}})';

interface Packed {
  filename: string;
  size: number;
  files: { path: string }[];
}

describe("the packed package", () => {
  const dir = mkdtempSync(join(tmpdir(), "packed-"));
  const modules = join(dir, "node_modules");
  const command = join(modules, "sextant/bin/sextant.js");
  let packed: Packed;

  before(() => {
    // npm would leave a cache of its own code in the temporary directory.
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", dir];
    [packed] = JSON.parse(execFileSync("npm", args, { cwd: ROOT, env, encoding: "utf8" })) as [Packed];
    mkdirSync(join(modules, "sextant"), { recursive: true });
    execFileSync("tar", ["-xzf", join(dir, packed.filename), "--strip-components=1", "-C", join(modules, "sextant")]);
    const { dependencies } = JSON.parse(readFileSync(join(modules, "sextant/package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
    }
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  test("holds the command, the sources, the built dashboard and script, the guides and four texts, in less than 5 MB", () => {
    const paths = packed.files.map(({ path }) => path);
    const parts = new Set(
      paths.map((path) => /^(?:bin\/.*|src|dashboard\/dist|script\/dist|[^/]+)(?=$|\/)/.exec(path)?.[0] ?? path),
    );
    const texts = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
    assert.deepEqual(
      [...parts].sort(),
      [...texts, "bin/sextant.js", "bin/types.js", "dashboard/dist", "docs", "script/dist", "src"].sort(),
    );
    assert.deepEqual(
      paths.filter((path) => /\.test\.ts$|\/testing\.ts$/.test(path)),
      [],
    );
    const built = readdirSync(join(ROOT, "dashboard/dist"), { recursive: true, withFileTypes: true });
    assert.equal(
      paths.filter((path) => path.startsWith("dashboard/dist/")).length,
      built.filter((entry) => entry.isFile()).length,
    );
    assert.ok(packed.size < MOST_BYTES, `${packed.size} bytes`);
  });

  test("serves the dashboard and counts an event, whatever Node starts it", async (t) => {
    const data = makeDataDir();
    t.after(data.remove);
    const service = await startService(data.dir, {}, [AS_NODE_20, command, "serve"]);
    t.after(() => service.kill("SIGTERM"));
    const { apiKey, writeKey } = readCredentials(data.dir);
    const page = await (await fetch(service.apiUrl)).text();
    const [, script = ""] = /<script [^>]*src="([^"]+)"/.exec(page) ?? [];
    const answer = await fetch(new URL(script, service.apiUrl));
    assert.match(answer.headers.get("content-type") ?? "", /javascript/);
    assert.ok((await answer.text()).length > 10_000);

    // The worker thread stores it, and the engine's process counts it: both run TypeScript below node_modules.
    const sent = await fetch(`${service.eventsUrl}/v0/raw_events`, {
      method: "POST",
      headers: { authorization: `Bearer ${writeKey}`, "content-type": "application/json" },
      body: JSON.stringify({ type: "page", channel: "web", version: "0", anonymous_id: "visitor-1" }),
    });
    assert.equal(sent.status, 200);
    await waitFor("the event in a report", async () => {
      const headers = { authorization: `Bearer ${apiKey}` };
      const report = await fetch(`${service.apiUrl}/v0/top_sources`, { headers });
      return ((await report.json()) as { rows: number }).rows === 1;
    });
    assert.doesNotMatch(service.stderr(), /Warning/);
  });

  test("keeps its compiled code below itself: the second start compiles nothing anew", () => {
    const { NODE_COMPILE_CACHE: _, ...rest } = process.env;
    const env = { ...rest, NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
    const run = () => spawnSync(process.execPath, [command, "--version"], { encoding: "utf8", env }).stderr;
    const readsOf = (log: string) => /cache for ESM \S+\/command-line\.ts was (accepted|rejected)/.exec(log)?.[1];
    assert.equal(readsOf(run()), undefined, "nothing is kept before the first start");
    assert.ok(existsSync(join(modules, "sextant/node_modules/.cache/sextant")));
    assert.equal(readsOf(run()), "accepted");
  });

  test("says what to do when npm was told to run no install scripts, one of which fetches Node", () => {
    unlinkSync(join(modules, "node"));
    mkdirSync(join(modules, "node"));
    writeFileSync(join(modules, "node/package.json"), "{}");
    const { status, stderr } = spawnSync(process.execPath, [AS_NODE_20, command, "--version"], { encoding: "utf8" });
    assert.equal(status, 1);
    assert.match(stderr, /needs Node 24.*npm rebuild node/);
  });
});
