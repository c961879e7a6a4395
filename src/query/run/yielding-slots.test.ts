import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createQuerySlots } from "./slots.ts";
import { createYieldingSlots } from "./yielding-slots.ts";

const LIMITS = { running: 1, waiting: 10, waitMs: 5_000 };

describe("query slots that give way", () => {
  test("wait while people wait, and no longer", async () => {
    let isBusy = true;
    let hasStarted = false;
    const slots = createYieldingSlots(createQuerySlots(LIMITS), () => isBusy);
    const asked = slots.acquire("w", new AbortController().signal).then((release) => {
      hasStarted = true;
      release();
    });
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(hasStarted, false);
    isBusy = false;
    await asked;
    assert.deepEqual(slots.count(), { running: 0, waiting: 0 });
  });

  test("start after a while although people never stop, one of a workspace at a time", async () => {
    const slots = createYieldingSlots(createQuerySlots(LIMITS), () => true, 1);
    const release = await slots.acquire("w", new AbortController().signal);
    const second = slots.acquire("w", new AbortController().signal);
    assert.deepEqual(slots.count(), { running: 1, waiting: 1 });
    release();
    (await second)();
  });

  test("free their slot when the work is given up", async () => {
    const slots = createYieldingSlots(createQuerySlots(LIMITS), () => true);
    const gone = new AbortController();
    const waiting = assert.rejects(slots.acquire("w", gone.signal));
    while (slots.count().running === 0) await new Promise((resolve) => setImmediate(resolve));
    gone.abort(new Error("gone"));
    await waiting;
    assert.deepEqual(slots.count(), { running: 0, waiting: 0 });
  });
});
