import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { createQuerySlots } from "./slots.ts";

const calm = () => new AbortController().signal;
const codeOf = (code: string) => (cause: unknown) => cause instanceof ApiError && cause.code === code;

describe("the query slots of a workspace", () => {
  test("as many run at once as may, the others in order, and no newcomer before them", async () => {
    const slots = createQuerySlots({ running: 2, waiting: 10, waitMs: 5_000 });
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

  test("a client that disconnects leaves the queue", async () => {
    const slots = createQuerySlots({ running: 1, waiting: 1, waitMs: 5_000 });
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
