import assert from "node:assert/strict";
import { test } from "node:test";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";
import { fuzzApi } from "./fuzz-api.ts";
import { OPERATIONS } from "./openapi.ts";

/** One or five to each operation, after one that must succeed: `npm run fuzz:api` sends thousands. */
const REQUESTS = (IS_LONG ? 5 : 1) * OPERATIONS.length;

test("generated requests to every route get a documented status and body, and never a 5xx", {
  timeout: 600_000,
}, async (t) => {
  const { sent, statuses } = await fuzzApi({ requests: REQUESTS, seed: SEED, say: (line) => t.diagnostic(line) });
  assert.ok(sent >= REQUESTS);
  assert.deepEqual(
    Object.keys(statuses),
    OPERATIONS.map(({ id }) => id),
  );
});
