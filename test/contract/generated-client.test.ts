/** A client that a common generator makes of openapi.json. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { generate } from "openapi-typescript-codegen";
import { openapiDocument } from "../../scripts/generate/openapi.ts";
import { withoutReferences } from "../../src/http/openapi-names.ts";

const TSC = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
const OPTIONS =
  "--ignoreConfig --noEmit --strict --target es2022 --module preserve --moduleResolution bundler --lib es2022,dom --types";

test("a client generated from the document compiles, and has the names of the document", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "client-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const document = openapiDocument() as { components: { schemas: object } };
  await generate({ input: structuredClone(document), output: dir, httpClient: "fetch" });
  const models = readdirSync(join(dir, "models"));
  for (const name of ["FunnelAnswer.ts", "ApiErrorBody.ts"]) assert.ok(models.includes(name), models.join(" "));
  const compiled = spawnSync(process.execPath, [TSC, ...OPTIONS.split(" "), "node", join(dir, "index.ts")], {
    encoding: "utf8",
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
  });
  assert.equal(compiled.stdout + compiled.stderr, "");
});

test("parts that repeat are named once, and funnel and flow require their dates", () => {
  const document = openapiDocument() as {
    components: { schemas: object };
    tags: { name: string; description?: string }[];
    paths: Record<string, Record<string, { description?: string }>>;
  };
  assert.ok(Object.keys(document.components.schemas).length > 100);
  const operations = Object.values(document.paths).flatMap((item) => Object.keys(item));
  assert.ok(JSON.stringify(document).length < 2_300 * operations.length);
  for (const { name, description } of document.tags) assert.ok(description, `${name} has no description`);
  for (const item of Object.values(document.paths))
    for (const operation of Object.values(item))
      assert.ok(operation.description, JSON.stringify(operation).slice(0, 100));
  const { paths } = withoutReferences(document) as unknown as {
    paths: Record<string, { get: { parameters: { name: string; required: boolean }[] } }>;
  };
  for (const path of ["/v0/funnel", "/v0/flow"])
    for (const name of ["date_from", "date_to"])
      assert.equal(paths[path]?.get.parameters.find((one) => one.name === name)?.required, true, `${path} ${name}`);
});
