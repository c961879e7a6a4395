import assert from "node:assert/strict";
import { test } from "node:test";
import { createMeter } from "./request-cost.ts";

test("work in small pieces is charged when it adds up to a request, and nothing is forgotten", async () => {
  const charged: number[] = [];
  const spend = createMeter(async (engineMs) => charged.push(engineMs));
  for (let nth = 0; nth < 10; nth += 1) await spend(35);
  await spend(255);
  assert.deepEqual(charged, [100, 100, 100, 300]);
});
