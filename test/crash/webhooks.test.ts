import { describe, test } from "node:test";
import { assertNothingLost, runDeliveryChaos } from "../support/chaos-webhooks.ts";

const SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);

// Side by side: most of the time on PostgreSQL is the wait for the leases of the dead.
describe("kill -9 between accepting a submission and delivering it", { concurrency: true }, () => {
  for (const [backend, cycles] of [
    ["sqlite", 5],
    ["postgres", 2],
  ] as const) {
    test(`on ${backend}: every acknowledged submission arrives, repeated only where an attempt was cut`, async (t) => {
      t.diagnostic(`TEST_SEED=${SEED}`);
      const result = await runDeliveryChaos({ backend, seed: SEED, cycles, say: (line) => t.diagnostic(line) });
      t.diagnostic(JSON.stringify(result));
      assertNothingLost(result);
    });
  }
});
