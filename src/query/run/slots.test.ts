import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { createQuerySlots } from "./slots.ts";

const calm = () => new AbortController().signal;
const codeOf = (code: string) => (cause: unknown) => cause instanceof ApiError && cause.code === code;

/** Lets all pending callbacks run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await settle();
}

describe("the query slots of a workspace", () => {
  test("as many run at once as may, the others in order, and no newcomer before them", async () => {
    const slots = createQuerySlots({ running: 2, waiting: 10, waitMs: 60_000 });
    const order: number[] = [];
    const first = [await slots.acquire("w", calm()), await slots.acquire("w", calm())];
    const later = [1, 2, 3].map((n) =>
      slots.acquire("w", calm()).then((release) => {
        order.push(n);
        return release;
      }),
    );
    first[0]?.();
    first[0]?.();
    const newcomer = slots.acquire("w", calm()).then(() => order.push(4));
    (await later[0])?.();
    (await later[1])?.();
    (await later[2])?.();
    await newcomer;
    assert.deepEqual(order, [1, 2, 3, 4]);
  });

  test("a full queue is 429, a long wait 503, and neither affects other workspaces", async () => {
    const slots = createQuerySlots({ running: 1, waiting: 1, waitMs: 20 });
    const release = await slots.acquire("w", calm());
    const waiting = assert.rejects(slots.acquire("w", calm()), codeOf("SERVICE_UNAVAILABLE"));
    await assert.rejects(slots.acquire("w", calm()), codeOf("TOO_MANY_REQUESTS"));
    (await slots.acquire("other", calm()))();
    await waiting;
    release();
    (await slots.acquire("w", calm()))();
  });

  test("while the log lags a workspace has one slot, and others theirs; afterwards it has all again", async () => {
    let lag = 0;
    const slots = createQuerySlots({ running: 3, waiting: 10, waitMs: 60_000, lagSeconds: () => lag });
    const startedAt = performance.now();
    const early = [await slots.acquire("w", calm()), await slots.acquire("w", calm())];
    lag = 2;
    const started: number[] = [];
    const late = [1, 2, 3].map((n) =>
      slots.acquire("w", calm()).then((release) => {
        started.push(n);
        return release;
      }),
    );
    early[0]?.();
    await until(() => slots.count().running === 1);
    assert.deepEqual([started, slots.count()], [[], { running: 1, waiting: 3 }], "one report still runs");
    await until(() => performance.now() - startedAt > 50);
    const restsSince = performance.now();
    early[1]?.();
    await settle();
    const afterEnd = [[...started], slots.count()];
    // On a busy machine its rest of 50 ms may be over by now.
    if (performance.now() - restsSince < 50)
      assert.deepEqual(afterEnd, [[], { running: 1, waiting: 3 }], "its slot rests as long as it ran");
    const first = await late[0];
    await settle();
    assert.deepEqual([started, slots.count()], [[1], { running: 1, waiting: 2 }]);
    lag = 1.9;
    first?.();
    await Promise.all(late);
    assert.deepEqual([started, slots.count()], [[1, 2, 3], { running: 2, waiting: 0 }], "all that fit start at once");
  });

  test("who waits since the log lagged starts before a newcomer, though nothing has ended", async () => {
    let lag = 5;
    const slots = createQuerySlots({ running: 2, waiting: 10, waitMs: 60_000, lagSeconds: () => lag });
    await slots.acquire("w", calm());
    let hasStarted = false;
    void slots.acquire("w", calm()).then(() => {
      hasStarted = true;
    });
    lag = 0;
    const gone = new AbortController();
    const newcomer = assert.rejects(slots.acquire("w", gone.signal), /gone/);
    await settle();
    assert.deepEqual([hasStarted, slots.count()], [true, { running: 2, waiting: 1 }]);
    gone.abort(new Error("gone"));
    await newcomer;
  });

  test("a client that disconnects leaves the queue", async () => {
    const slots = createQuerySlots({ running: 1, waiting: 1, waitMs: 60_000 });
    const release = await slots.acquire("w", calm());
    const gone = new AbortController();
    const waiting = assert.rejects(slots.acquire("w", gone.signal), /gone/);
    gone.abort(new Error("gone"));
    await waiting;
    const next = slots.acquire("w", calm());
    release();
    (await next)();
  });
});
