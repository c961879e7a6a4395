import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";
import { runChaos } from "../support/chaos.ts";

/** Two kills, for what a kill leaves must survive the next one, of the engine in a long run: `npm run chaos:ingest` does hundreds. */
const CYCLES = 2;
const ENGINE_CYCLES = IS_LONG ? CYCLES : 1;
const REST_MS = 10;

describe("kill -9 under load", () => {
  test(`of the service, ${CYCLES} times: no acknowledged event is lost or counted twice, and the ledger has each`, {
    timeout: 300_000,
  }, async (t) => {
    const result = await runChaos({
      seed: SEED,
      cycles: CYCLES,
      restMs: REST_MS,
      victim: "service",
      say: (line) => t.diagnostic(line),
    });
    const { acknowledged, stored: _stored, rejected: _rejected, ...bad } = result;
    assert.deepEqual(bad, { lost: 0, doubled: 0, unexpected: 0, miscounted: 0 });
    assert.ok(acknowledged > 0);
  });

  test(`of the engine child, ${ENGINE_CYCLES} times: no event is rejected`, { timeout: 300_000 }, async (t) => {
    const { acknowledged, stored, ...bad } = await runChaos({
      seed: SEED,
      cycles: ENGINE_CYCLES,
      restMs: REST_MS,
      victim: "engine",
      say: (line) => t.diagnostic(line),
    });
    assert.deepEqual(bad, { lost: 0, doubled: 0, unexpected: 0, miscounted: 0, rejected: 0 });
    assert.ok(acknowledged > 0 && stored >= acknowledged);
  });
});
