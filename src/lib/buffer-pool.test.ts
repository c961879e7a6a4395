import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createBufferPool } from "./buffer-pool.ts";

describe("a pool of buffers", () => {
  test("reuses a returned buffer that is large enough", () => {
    const pool = createBufferPool(2);
    const first = pool.take(100_000);
    assert.ok(first.length >= 100_000);
    pool.give(first.buffer);
    assert.equal(pool.take(90_000).buffer, first.buffer);
    assert.notEqual(pool.take(90_000).buffer, first.buffer, "one buffer is never with two users");
  });

  test("keeps only as many buffers as allowed, the largest ones", () => {
    const pool = createBufferPool(1);
    const [small, large] = [pool.take(100_000), pool.take(1_000_000)];
    pool.give(large.buffer);
    pool.give(small.buffer);
    assert.equal(pool.take(1).buffer, large.buffer);
    assert.notEqual(pool.take(1).buffer, small.buffer);
  });

  test("does not keep buffers that a burst made too large", () => {
    const pool = createBufferPool(1);
    const huge = pool.take(17 * 1024 * 1024);
    pool.give(huge.buffer);
    assert.notEqual(pool.take(1).buffer, huge.buffer);
  });

  test("never keeps a slice of the pool that small buffers share", () => {
    const pool = createBufferPool(1);
    const shared = Buffer.from("small");
    pool.give(shared.buffer);
    assert.notEqual(pool.take(1).buffer, shared.buffer);
  });
});
