import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSemaphore, QueueFull, WaitTimeout } from "./semaphore.ts";

/** Lets all pending callbacks run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("a semaphore", () => {
  test("fills the slots of a key and serves waiters in order, before any newcomer", async () => {
    const semaphore = createSemaphore({ perKey: 1 });
    const order: number[] = [];
    const release = await semaphore.acquire("a");
    const run = async (n: number) => {
      const done = await semaphore.acquire("a");
      order.push(n);
      done();
    };
    const waiting = [run(1), run(2)];
    release();
    await Promise.all([...waiting, run(3)]);
    assert.deepEqual(order, [1, 2, 3]);
    assert.deepEqual(semaphore.count(), { running: 0, waiting: 0 });
  });

  test("gives a slot of the total to the first waiter whose key has a free slot", async () => {
    const semaphore = createSemaphore({ perKey: 1, total: 2 });
    const a = await semaphore.acquire("a");
    const b = await semaphore.acquire("b");
    const order: string[] = [];
    for (const key of ["a", "c"]) void semaphore.acquire(key).then(() => order.push(key));
    b();
    await settle();
    assert.deepEqual(order, ["c"], "a is full, so that c does not wait behind it");
    a();
    await settle();
    assert.deepEqual(order, ["c", "a"]);
  });

  test("releases a slot once, however often release is called", async () => {
    const semaphore = createSemaphore({ perKey: 1, waitingPerKey: 0 });
    const release = await semaphore.acquire("a");
    release();
    await semaphore.acquire("a");
    release();
    await assert.rejects(semaphore.acquire("a"), QueueFull);
  });

  test("bounds the queue of each key and the wait, and forgets a waiter that timed out", async () => {
    const semaphore = createSemaphore({ perKey: 1, waitingPerKey: 1, waitMs: 10 });
    const release = await semaphore.acquire("a");
    const waiting = assert.rejects(semaphore.acquire("a"), WaitTimeout);
    await assert.rejects(semaphore.acquire("a"), QueueFull);
    await semaphore.acquire("b");
    await waiting;
    assert.deepEqual(semaphore.count(), { running: 2, waiting: 0 });
    release();
    assert.deepEqual(semaphore.count(), { running: 1, waiting: 0 });
  });

  test("rejects with the signal's reason before and during the wait, and the next waiter gets the slot", async () => {
    const semaphore = createSemaphore({ perKey: 1 });
    const release = await semaphore.acquire("a");
    const stop = new AbortController();
    const gone = assert.rejects(semaphore.acquire("a", stop.signal), /gone/);
    const next = semaphore.acquire("a");
    stop.abort(new Error("gone"));
    await gone;
    await assert.rejects(semaphore.acquire("b", stop.signal), /gone/);
    release();
    (await next)();
    assert.deepEqual(semaphore.count(), { running: 0, waiting: 0 });
  });
});
