import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createBufferPool } from "./buffer-pool.ts";

const isSame = (one: Buffer, other: Buffer) => one.buffer === other.buffer;

describe("a pool of buffers", () => {
  test("uses a returned buffer again, for any size of full load, and never for two users", () => {
    const pool = createBufferPool(2);
    const first = pool.take(100_000);
    assert.ok(first.length >= 100_000);
    pool.give(first.buffer);
    assert.ok(isSame(pool.take(12_000_000), first));
    assert.ok(!isSame(pool.take(90_000), first));
  });

  test("keeps only as many buffers as allowed", () => {
    const pool = createBufferPool(1);
    const [one, two] = [pool.take(1), pool.take(1)];
    pool.give(one.buffer);
    pool.give(two.buffer);
    assert.ok(isSame(pool.take(1), one));
    assert.ok(!isSame(pool.take(1), two));
  });

  test("does not keep buffers that a burst made too large, nor memory that is not its own", () => {
    const pool = createBufferPool(1);
    for (const foreign of [pool.take(13 * 1024 * 1024), Buffer.from("small")]) {
      pool.give(foreign.buffer);
      assert.ok(!isSame(pool.take(1), foreign));
    }
  });

  test("a pool that keeps none gives memory that the runtime counts and frees", () => {
    assert.ok(createBufferPool(0).take(100_000).buffer instanceof ArrayBuffer);
  });
});
