import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import { readCounted } from "../../src/http/events/body.ts";
import { createBodyBudget } from "../../src/http/events/body-budget.ts";

const MIB = 1024 * 1024;
const leaseOf = (workspaceId: string) => ({ workspaceId, bytes: 0 });
const isRefused = { code: "SERVICE_UNAVAILABLE" };

describe("the memory that bodies share", () => {
  test("one workspace leaves room for another, whether its bodies are large or small", () => {
    for (const size of [10 * MIB, 200 * 1024]) {
      const budget = createBodyBudget();
      assert.throws(() => {
        for (let i = 0; i < 1_000; i += 1) budget.resize(leaseOf("hostile"), size);
      }, isRefused);
      for (const bytes of [2_000, 200 * 1024, 10 * MIB]) budget.resize(leaseOf("neighbour"), bytes);
    }
  });

  test("what a workspace gives back it may have again", () => {
    const budget = createBodyBudget();
    const leases = [leaseOf("w"), leaseOf("w"), leaseOf("w")];
    for (const lease of leases) budget.resize(lease, 10 * MIB);
    assert.throws(() => budget.resize(leaseOf("w"), 10 * MIB), isRefused);
    for (const lease of leases) budget.resize(lease, 0);
    budget.resize(leaseOf("w"), 10 * MIB);
  });
});

describe("a body that comes in small pieces", () => {
  test("holds little more than its bytes, and is what was sent", async () => {
    const stream = new PassThrough();
    const lease = leaseOf("w");
    const read = new Promise<readonly Buffer[]>((resolve, reject) => {
      readCounted(stream, createBodyBudget(), lease, (cause, pieces) => (pieces ? resolve(pieces) : reject(cause)));
    });
    const text = Array.from({ length: 50_000 }, (_, i) => i % 10).join("");
    for (const char of text) stream.write(char);
    stream.write("x".repeat(5_000));
    for (const char of "end") stream.write(char);
    stream.end();
    const pieces = await read;
    assert.equal(Buffer.concat(pieces).toString(), `${text}${"x".repeat(5_000)}end`);
    assert.ok(lease.bytes < 2 * text.length, `${text.length} bytes hold ${lease.bytes}`);
  });
});
