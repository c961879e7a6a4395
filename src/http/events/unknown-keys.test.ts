import assert from "node:assert/strict";
import { test } from "node:test";
import { createUnknownKeys } from "./unknown-keys.ts";

test("unknown keys are counted by their beginning, the newest first, and forgotten after a quarter of an hour", () => {
  let nowMs = 1_000_000;
  const keys = createUnknownKeys({ nowMs: () => nowMs });
  keys.note("sxw_badbadbadbadbadbadbad");
  nowMs += 1_000;
  keys.note(undefined);
  keys.note("sxw_badbad-and-something-else");
  assert.deepEqual(keys.list(), [
    { prefix: "sxw_badbad", requests: 2, lastMs: nowMs },
    { prefix: "", requests: 1, lastMs: nowMs },
  ]);
  nowMs += 15 * 60_000;
  assert.deepEqual(keys.list(), []);
  keys.note("sxw_badbadbadbadbadbadbad");
  assert.equal(keys.list()[0]?.requests, 1);
});

test("a flood of keys leaves the 50 newest, and a short key is never shown whole", () => {
  const keys = createUnknownKeys({ nowMs: () => 1 });
  for (let i = 0; i < 10_000; i += 1) keys.note(`${i}`.padStart(10, "k").repeat(2));
  assert.equal(keys.list().length, 50);
  keys.note("secret");
  assert.equal(keys.list()[0]?.prefix, "sec");
});
