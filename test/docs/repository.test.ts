import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { SETTINGS } from "../../src/installation/settings.ts";

/** The files that a code host and an editor read. Neither runs here: these tests check what can be read. */
const ROOT = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

interface Workflow {
  on: object;
  permissions: object;
  jobs: Record<
    string,
    {
      "runs-on": string;
      "timeout-minutes": number;
      strategy: { matrix: { include: { runner: string }[] } };
      steps: { uses?: string; run?: string }[];
    }
  >;
}

interface IssueForm {
  name: string;
  description: string;
  body: { type: string; id?: string; attributes: { label?: string; value?: string; options?: string[] } }[];
}

describe("the workflow", () => {
  const workflow = parse(read(".github/workflows/ci.yml")) as Workflow;

  test("runs .ci/run on x64 and arm64, for main and for pull requests, and may only read", () => {
    assert.deepEqual(Object.keys(workflow.on).sort(), ["pull_request", "push"]);
    assert.deepEqual(workflow.permissions, { contents: "read" });
    const { suite } = workflow.jobs;
    assert.ok(suite);
    assert.match(suite["runs-on"], /\bmatrix\.runner\b/);
    assert.deepEqual(
      suite.strategy.matrix.include.map(({ runner }) => runner),
      ["ubuntu-24.04", "ubuntu-24.04-arm"],
    );
    assert.ok(suite.steps.some(({ run }) => run === ".ci/run"));
    assert.ok((statSync(join(ROOT, ".ci/run")).mode & 0o111) !== 0, ".ci/run is executable");
  });

  test("uses only actions of the code host itself, by the hash of a commit, and ends by itself", () => {
    for (const [name, job] of Object.entries(workflow.jobs)) {
      assert.ok(job["timeout-minutes"] <= 90, name);
      for (const { uses } of job.steps) if (uses !== undefined) assert.match(uses, /^actions\/[a-z-]+@[0-9a-f]{40}$/);
    }
  });
});

test("every issue form has a name, a description and parts with different ids", () => {
  const files = readdirSync(join(ROOT, ".github/ISSUE_TEMPLATE"));
  assert.equal(files.length, 2);
  for (const file of files) {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${file}`)) as IssueForm;
    assert.ok(form.name !== "" && form.description !== "", file);
    const asked = form.body.filter(({ type }) => type !== "markdown");
    assert.equal(new Set(asked.map(({ id }) => id)).size, asked.length, file);
    for (const { type, attributes } of form.body) {
      assert.ok(["markdown", "textarea", "input", "dropdown"].includes(type), `${file}: ${type}`);
      assert.ok(type === "markdown" ? attributes.value : attributes.label, `${file}: ${type}`);
    }
  }
});

test("every npm script that the guides, templates and the development container name exists", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const dashboard = JSON.parse(read("dashboard/package.json")) as { scripts: Record<string, string> };
  const guides = readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  const others = ["README.md", "CONTRIBUTING.md", ".github/pull_request_template.md", ".github/workflows/ci.yml"];
  for (const file of [...guides, ...others, ".devcontainer/devcontainer.json"]) {
    for (const [, name = "", workspace] of read(file).matchAll(/npm run ([\w:-]+)( -w dashboard)?/g))
      assert.ok(name in (workspace === undefined ? scripts : dashboard.scripts), `${file}: npm run ${name}`);
  }
});

test("no npm script runs by itself during an install", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  // `npm ci` runs each of these names, and `npm pack` the last one: none may be a command for people.
  const hooks = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "dependencies"];
  assert.deepEqual(
    [...hooks, "postpack"].filter((name) => name in scripts),
    [],
  );
  assert.equal(scripts.prepack, "node src/http/dashboard/write-copies.ts", "npm pack only adds compressed copies");
});

test("the development container installs from the lockfile and opens the ports of the service", () => {
  const text = read(".devcontainer/devcontainer.json").replace(/^ *\/\/.*$/gm, "");
  const container = JSON.parse(text) as { image: string; updateContentCommand: string; forwardPorts: number[] };
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  assert.ok(container.image.includes(`:${dependencies.node?.split(".")[0]}-`));
  assert.equal(container.updateContentCommand, "npm ci");
  for (const port of [SETTINGS.API_PORT.fallback, SETTINGS.EVENTS_PORT.fallback])
    assert.ok(container.forwardPorts.includes(Number(port)), String(port));
});
