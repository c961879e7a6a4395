import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BoundedCache, memoize } from "./bounded-cache.ts";

describe("cache", () => {
  it("never holds more than its bound", () => {
    const cache = new BoundedCache<number>(100);
    for (let n = 0; n < 10_000; n++) {
      cache.put(`k${n}`, n);
      assert.ok(cache.size <= 100);
    }
  });

  it("keeps entries in use while newer ones come and go", () => {
    const cache = new BoundedCache<number>(100);
    cache.put("hot", 1);
    for (let n = 0; n < 10_000; n++) {
      cache.put(`k${n}`, n);
      assert.equal(cache.find("hot"), 1);
    }
    assert.equal(cache.find("k1"), undefined);
  });

  it("forgets a deleted entry, however old it is", () => {
    const cache = new BoundedCache<string, number>(2);
    cache.put(1, "old");
    cache.put(2, "young");
    for (const key of [1, 2]) cache.delete(key);
    assert.deepEqual([cache.find(1), cache.find(2), cache.size], [undefined, undefined, 0]);
  });

  it("computes each value once, but never stores a long key", () => {
    let calls = 0;
    const lengthOf = memoize(10, (key: string) => {
      calls++;
      return [key.length];
    });
    assert.deepEqual([lengthOf("abc"), lengthOf("abc"), lengthOf("__proto__")], [[3], [3], [9]]);
    assert.equal(calls, 2);
    const long = "x".repeat(2_000);
    lengthOf(long);
    lengthOf(long);
    assert.equal(calls, 4);
  });
});
