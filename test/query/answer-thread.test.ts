import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import { createStreamThread } from "../../src/lib/stream-thread.ts";

const moduleOf = (code: string) =>
  new URL(`data:text/javascript,export async function* encode(input, options) { ${code} }`);
const ECHO = moduleOf("for await (const bytes of input) yield bytes; return options;");
const SILENT = moduleOf("for await (const bytes of input);");

async function* inputOf(texts: readonly string[], onEnd: () => void = () => undefined) {
  try {
    for (const text of texts) yield Buffer.from(text);
  } finally {
    onEnd();
  }
}

describe("the thread for large answers", () => {
  const thread = createStreamThread();
  after(() => thread.close());

  test("runs several streams at once, and returns what each returned", async () => {
    const run = async (n: number) => {
      const pieces = thread.run<{ n: number }>(ECHO, inputOf(["a", String(n), "z"]), { n });
      const texts: string[] = [];
      for (;;) {
        const next = await pieces.next();
        if (next.done) return [texts.join(""), next.value.n];
        texts.push(next.value.toString());
      }
    };
    assert.deepEqual(
      await Promise.all([1, 2, 3].map(run)),
      [1, 2, 3].map((n) => [`a${n}z`, n]),
    );
  });

  test("ends its input when nobody reads on, or when it fails", async () => {
    let ended = 0;
    const count = () => {
      ended += 1;
    };
    for await (const _ of thread.run(ECHO, inputOf(["a", "b", "c"], count), {})) break;
    assert.equal(ended, 1);
    const failing = moduleOf("for await (const bytes of input) throw new RangeError('too much');");
    await assert.rejects(buffer(thread.run(failing, inputOf(["a", "b"], count), {})), {
      kind: "RangeError",
      message: "too much",
    });
    assert.equal(ended, 2);
    assert.equal((await buffer(thread.run(SILENT, inputOf(["a", "b"], count), {}))).length, 0);
    assert.equal(ended, 3);
  });

  test("that dies fails its streams, and the next stream has another", async () => {
    const dying = moduleOf("yield new Uint8Array(1); process.exit(1);");
    await assert.rejects(buffer(thread.run(dying, inputOf(["a"]), {})), /the stream thread ended/);
    assert.equal((await buffer(thread.run(ECHO, inputOf(["still here"]), {}))).toString(), "still here");
  });
});
