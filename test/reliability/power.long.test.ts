import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { SEED } from "../../src/lib/testing.ts";
import { seeded } from "../support/chaos.ts";
import { makeDataDir } from "../support/service.ts";
import { type CutResult, drawCuts, tryCuts } from "./power/cut.ts";
import { record } from "./power/record.ts";

const CUTS = 8;
const SECONDS = 10;
const hasStrace = spawnSync("strace", ["-qq", "-e", "trace=none", "true"]).status === 0;

test(`after ${CUTS} losses of power under load the service has every acknowledged event and form once`, {
  skip: hasStrace ? false : "strace is not here, or may not trace",
  timeout: 900_000,
}, async (t) => {
  const random = seeded(SEED);
  const { dir, remove } = makeDataDir();
  t.after(remove);
  const recorded = await record(dir, join(dir, "..", "trace"), SECONDS, random);
  assert.ok(recorded.events.size > 0 && recorded.forms.size > 0, "something was acknowledged");
  const results: CutResult[] = [];
  await tryCuts(dir, recorded, drawCuts(recorded, CUTS, random), random, (result) => results.push(result));
  assert.equal(results.length, CUTS);
  for (const { acknowledged: _acknowledged, ...bad } of results)
    assert.deepEqual(bad, { lost: 0, doubled: 0, unexpected: 0, miscounted: 0 });
});
