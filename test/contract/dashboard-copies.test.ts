import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { compress } from "../../src/http/dashboard/compress.ts";
import { createCopies } from "../../src/http/dashboard/copies.ts";

describe("compressed copies of the dashboard's files", () => {
  test("ten requests at once make one copy, and later ones none", async () => {
    let made = 0;
    const findCopy = createCopies(async (path, encoding) => {
      made += 1;
      return Buffer.from(`${path} ${encoding}`);
    });
    const found = await Promise.all(Array.from({ length: 10 }, () => findCopy("a.js", "br")));
    assert.deepEqual(new Set(found.map(String)), new Set(["a.js br"]));
    assert.equal(String(await findCopy("a.js", "gzip")), "a.js gzip");
    await findCopy("a.js", "br");
    assert.equal(made, 2);
  });

  test("one copy is made at a time", async () => {
    let [running, most] = [0, 0];
    const findCopy = createCopies(async () => {
      running += 1;
      most = Math.max(most, running);
      await setImmediate();
      running -= 1;
      return Buffer.of();
    });
    await Promise.all(["a", "b", "c"].map((path) => findCopy(path, "br")));
    assert.equal(most, 1);
  });

  test("memory is bounded: what has no room is made again", async () => {
    let made = 0;
    const findCopy = createCopies(async () => {
      made += 1;
      return Buffer.alloc(60);
    }, 100);
    for (const path of ["a", "b", "a", "b"]) assert.equal((await findCopy(path, "br")).length, 60);
    assert.equal(made, 3);
  });

  test("a failure is not kept", async () => {
    let isBroken = true;
    const findCopy = createCopies(async () => {
      if (isBroken) throw new Error("no such file");
      return Buffer.of(1);
    });
    await assert.rejects(findCopy("a", "br"), /no such file/);
    isBroken = false;
    assert.equal((await findCopy("a", "br")).length, 1);
  });

  test("the event loop turns while a file is compressed, and the copy holds the file", async () => {
    const bytes = Buffer.from(randomBytes(500_000).toString("hex"));
    for (const [encoding, unpack] of [["br", brotliDecompressSync] as const, ["gzip", gunzipSync] as const]) {
      let isDone = false;
      const copy = compress(bytes, encoding, "quick").finally(() => {
        isDone = true;
      });
      let turns = 0;
      for (; !isDone; turns += 1) await setImmediate();
      assert.ok(turns > 3, `${turns} turns`);
      assert.ok(unpack(await copy).equals(bytes));
    }
  });
});
