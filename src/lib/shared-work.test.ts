import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareWork } from "./shared-work.ts";

/** Work whose end the test decides. */
function watched() {
  const answer = Promise.withResolvers<string>();
  const seen: { signal?: AbortSignal; over: number } = { over: 0 };
  const work = shareWork(
    (signal) => {
      seen.signal = signal;
      signal.addEventListener("abort", () => answer.reject(signal.reason));
      return answer.promise;
    },
    () => {
      seen.over += 1;
    },
  );
  return { work, answer, seen };
}

describe("shared work", () => {
  test("all who wait have the answer, and nobody joins after it", async () => {
    const { work, answer, seen } = watched();
    const waiting = [work.wait(undefined), work.wait(new AbortController().signal)];
    assert.equal(seen.over, 0);
    answer.resolve("done");
    assert.deepEqual(await Promise.all(waiting), ["done", "done"]);
    assert.deepEqual([seen.over, seen.signal?.aborted], [1, false]);
  });

  test("one who leaves does not end it, the last one does", async () => {
    const { work, seen } = watched();
    const [first, second] = [new AbortController(), new AbortController()];
    const left = [assert.rejects(work.wait(first.signal), /one/), assert.rejects(work.wait(second.signal), /two/)];
    first.abort(new Error("one"));
    await left[0];
    assert.deepEqual([seen.over, seen.signal?.aborted], [0, false]);
    second.abort(new Error("two"));
    await left[1];
    assert.deepEqual([seen.over, seen.signal?.aborted], [1, true]);
  });

  test("a failure is everybody's", async () => {
    const { work, answer, seen } = watched();
    const waiting = [work.wait(undefined), work.wait(undefined)].map((one) => assert.rejects(one, /broken/));
    answer.reject(new Error("broken"));
    await Promise.all(waiting);
    assert.equal(seen.over, 1);
  });
});
