import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SEED } from "../../src/lib/testing.ts";
import { assertNothingLost, findMissing, judgeMissing, runDeliveryChaos } from "../support/chaos-webhooks.ts";

// In parallel, because a run on PostgreSQL mostly waits for the leases of killed processes.
describe("kill -9 between accepting a submission and delivering it", { concurrency: true }, () => {
  for (const [backend, cycles] of [
    ["sqlite", 3],
    ["postgres", 2],
  ] as const) {
    test(`on ${backend}: every acknowledged submission arrives, repeated only where an attempt was cut`, async (t) => {
      const result = await runDeliveryChaos({ backend, seed: SEED, cycles, say: (line) => t.diagnostic(line) });
      t.diagnostic(JSON.stringify(result));
      assertNothingLost(result);
    });
  }
});

test("the check detects a delivery that is lost for only one of two targets", () => {
  const reached = new Map([
    ["sub_1", new Set(["whk_a", "whk_b"])],
    ["sub_2", new Set(["whk_a"])],
    ["sub_3", new Set(["whk_b"])],
  ]);
  const missing = findMissing(new Set(["sub_1", "sub_2", "sub_3", "sub_4"]), ["whk_a", "whk_b"], reached);
  assert.equal(missing.length, 4);
  const row = { id: "dlv", tier: 0, due_at: 1, next_due_at: 0 };
  const { lost, waiting, stuck } = judgeMissing(missing, [
    { ...row, submissionId: "sub_2", webhookId: "whk_a", state: "delivered" },
    { ...row, submissionId: "sub_3", webhookId: "whk_a", state: "sending" },
    { ...row, submissionId: "sub_4", webhookId: "whk_a", state: "pending", next_due_at: null },
    { ...row, submissionId: "sub_4", webhookId: "whk_b", state: "delivered" },
  ]);
  assert.deepEqual({ lost, waiting, stuck }, { lost: 2, waiting: 2, stuck: 1 });
});
