import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ChartAnswer } from "./answer.ts";
import { createSharedAnswers } from "./shared-answers.ts";

const answerOf = (text: string): ChartAnswer => ({ columns: [], rows: 0, text });

/** Questions whose answers the test gives. */
function watched(keptChars?: number) {
  let nowMs = 0;
  const shared = createSharedAnswers({ nowMs: () => nowMs }, keptChars);
  const runs: { signal: AbortSignal; answer: PromiseWithResolvers<ChartAnswer> }[] = [];
  const ask = (question: unknown, signal = new AbortController().signal, queue?: string) =>
    shared.ask(question, { signal, queue }, (work) => {
      const answer = Promise.withResolvers<ChartAnswer>();
      work.addEventListener("abort", () => answer.reject(work.reason));
      runs.push({ signal: work, answer });
      return answer.promise;
    });
  return { ask, runs, pass: (ms: number) => (nowMs += ms) };
}

describe("shared answers", () => {
  test("a question that is being asked is not asked again, and others are", async () => {
    const { ask, runs } = watched();
    const [one, same, other] = [ask(["a", 1]), ask(["a", 1]), ask(["a", 2])];
    assert.equal(runs.length, 2);
    runs[0]?.answer.resolve(answerOf("first"));
    runs[1]?.answer.resolve(answerOf("second"));
    assert.deepEqual([(await one).text, (await same).text, (await other).text], ["first", "first", "second"]);
  });

  test("who waits in no queue does not wait in that of others, and the first answer is everybody's", async () => {
    const { ask, runs } = watched();
    const { signal } = new AbortController();
    const [slow, same, quick] = [ask("q", signal, "link"), ask("q", signal, "link"), ask("q", signal)];
    assert.equal(runs.length, 2);
    runs[1]?.answer.resolve(answerOf("quick"));
    assert.equal((await quick).text, "quick");
    assert.equal((await ask("q", signal, "link")).text, "quick", "kept for all");
    runs[0]?.answer.resolve(answerOf("slow"));
    assert.deepEqual([(await slow).text, (await same).text], ["slow", "slow"]);
  });

  test("an answer is kept for a minute and no longer", async () => {
    const { ask, runs, pass } = watched();
    const first = ask("q");
    runs[0]?.answer.resolve(answerOf("kept"));
    await first;
    pass(59_999);
    assert.equal((await ask("q")).text, "kept");
    pass(1);
    const again = ask("q");
    assert.equal(runs.length, 2);
    runs[1]?.answer.resolve(answerOf("new"));
    assert.equal((await again).text, "new");
  });

  test("a failure is told to all who wait, and is not kept", async () => {
    const { ask, runs } = watched();
    const asked = [ask("q"), ask("q")].map((one) => assert.rejects(one, /broken/));
    runs[0]?.answer.reject(new Error("broken"));
    await Promise.all(asked);
    const again = ask("q");
    assert.equal(runs.length, 2);
    runs[1]?.answer.resolve(answerOf("well"));
    assert.equal((await again).text, "well");
  });

  test("who leaves does not end it for others; when all have left it ends", async () => {
    const { ask, runs } = watched();
    const [first, second] = [new AbortController(), new AbortController()];
    const left = assert.rejects(ask("q", first.signal), /gone/);
    const stays = assert.rejects(ask("q", second.signal), /gone too/);
    first.abort(new Error("gone"));
    await left;
    assert.equal(runs[0]?.signal.aborted, false);
    second.abort(new Error("gone too"));
    await stays;
    assert.equal(runs[0]?.signal.aborted, true);
    // The next one does not wait for what was ended.
    const again = ask("q");
    assert.equal(runs.length, 2);
    runs[1]?.answer.resolve(answerOf("new"));
    assert.equal((await again).text, "new");
  });

  test("the oldest answers go when there are too many characters", async () => {
    const { ask, runs } = watched(10);
    for (const name of ["a", "b", "c"]) {
      const asked = ask(name);
      runs.at(-1)?.answer.resolve(answerOf("12345"));
      await asked;
    }
    await ask("b");
    await ask("c");
    assert.equal(runs.length, 3);
    const again = ask("a");
    assert.equal(runs.length, 4);
    runs[3]?.answer.resolve(answerOf("1"));
    await again;
  });
});
