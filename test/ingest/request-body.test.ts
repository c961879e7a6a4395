import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { readCounted } from "../../src/http/events/body.ts";
import { createBodyBudget } from "../../src/http/events/body-budget.ts";
import { createBodyMemory } from "../../src/http/events/body-memory.ts";

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

/** Reads a body that is sent by `send`. Also returns the most that it held. */
async function readBody(expected: number | undefined, send: (stream: PassThrough) => void | Promise<void>) {
  const stream = new PassThrough();
  const lease = leaseOf("w");
  const { resize } = createBodyBudget();
  let most = 0;
  const budget = {
    resize(of: typeof lease, bytes: number) {
      resize(of, bytes);
      most = Math.max(most, bytes);
    },
  };
  const read = new Promise<Buffer>((resolve, reject) => {
    readCounted(stream, expected, budget, lease, (cause, pieces) =>
      pieces ? resolve(Buffer.concat(pieces)) : reject(cause),
    );
  });
  await send(stream);
  stream.end();
  return { body: await read, most, left: lease.bytes };
}

describe("a body that comes in small pieces", () => {
  test("holds little more than its bytes, and is what was sent", async () => {
    const text = Array.from({ length: 50_000 }, (_, i) => i % 10).join("");
    const { body, most, left } = await readBody(undefined, (stream) => {
      for (const char of text) stream.write(char);
      stream.write("x".repeat(5_000));
      for (const char of "end") stream.write(char);
    });
    assert.equal(body.toString(), `${text}${"x".repeat(5_000)}end`);
    assert.ok(most < 2 * text.length, `${text.length} bytes hold ${most}`);
    assert.equal(left, body.length, "and only its bytes when all are there");
  });

  test("holds no memory for what was announced and did not come", async () => {
    const { most } = await readBody(10 * MIB, (stream) => void stream.write("x".repeat(3_000)));
    assert.ok(most < 9_000, `3,000 bytes hold ${most}`);
  });
});

describe("bodies that arrive at the same time", () => {
  test("are not mixed in the memory that they and later ones use in turn", async () => {
    const sizes = [500, 20_000, 64_000, 65_536, 98_304, 131_072, 200_000, 262_144, 262_145, 700_000];
    const bodyOf = (nth: number, size: number) => Buffer.alloc(size, `<${nth}>`);
    const readOne = async (nth: number) => {
      const size = sizes[nth % sizes.length] as number;
      const sent = bodyOf(nth, size);
      const step = 1 + ((nth * 7_919) % 65_536);
      const { body } = await readBody(nth % 3 === 0 ? undefined : size, async (stream) => {
        for (let at = 0; at < size; at += step) {
          stream.write(sent.subarray(at, at + step));
          if (at % 5 === 0) await nextTurn();
        }
      });
      assert.ok(body.equals(sent), `body ${nth} of ${size} bytes in pieces of ${step}`);
    };
    for (let round = 0; round < 5; round += 1)
      await Promise.all(Array.from({ length: 40 }, (_, i) => readOne(round * 40 + i)));
  });

  test("a body that fails halfway gives its memory back once", async () => {
    for (let nth = 0; nth < 3; nth += 1) {
      const failing = readBody(200_000, async (stream) => {
        stream.write("x".repeat(100_000));
        await nextTurn();
        stream.destroy(new Error("gone"));
      });
      await assert.rejects(failing, { message: "gone" });
    }
    const [one, two] = await Promise.all(
      ["a", "b"].map((letter) =>
        readBody(200_000, async (stream) => {
          for (let part = 0; part < 2; part += 1) {
            stream.write(letter.repeat(100_000));
            await nextTurn();
          }
        }),
      ),
    );
    assert.equal(one?.body.toString(), "a".repeat(200_000));
    assert.equal(two?.body.toString(), "b".repeat(200_000));
  });
});

describe("the memory of bodies", () => {
  test("is used again, and freed when it is not needed", () => {
    const memory = createBodyMemory();
    const first = memory.take(100_000);
    memory.give(first);
    assert.equal(memory.take(90_000) === first, false, "a smaller size has memory of its own");
    assert.equal(memory.take(100_000), first);
    assert.notEqual(memory.take(100_000), first, "memory is never with two users");
    memory.give(first);
    memory.trim();
    memory.trim();
    assert.notEqual(memory.take(100_000), first);
  });
});
