import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTurns } from "../../dashboard/src/api/turns.ts";

describe("turns of questions", () => {
  /** A question that is answered when the test says so. */
  function createQuestions(log: string[]) {
    const answers = new Map<string, () => void>();
    const ask = (name: string) => () => {
      log.push(name);
      return new Promise<string>((resolve) => answers.set(name, () => resolve(name)));
    };
    return { ask, answer: (name: string) => answers.get(name)?.() };
  }
  const passes = () => new Promise(setImmediate);

  test("at most two run at once, in order, after what was asked at the same time without a turn", async () => {
    const log: string[] = [];
    const turns = createTurns(2);
    const { ask, answer } = createQuestions(log);
    const asked = ["a", "b", "c"].map((name) => turns.take(ask(name)));
    log.push("headline");
    await passes();
    assert.deepEqual(log, ["headline", "a", "b"]);
    answer("b");
    assert.equal(await asked[1], "b");
    await passes();
    assert.deepEqual(log, ["headline", "a", "b", "c"]);
    answer("a");
    answer("c");
    await Promise.all(asked);
  });

  test("a question that was given up, and one that failed, leave their turn to the next", async () => {
    const log: string[] = [];
    const turns = createTurns(1);
    const { ask, answer } = createQuestions(log);
    const failed = turns.take(() => Promise.reject(new Error("no")));
    const leaves = new AbortController();
    const left = turns.take(ask("left"), leaves.signal);
    const last = turns.take(ask("last"));
    leaves.abort();
    await assert.rejects(failed, /no/);
    await assert.rejects(left, { name: "AbortError" });
    await passes();
    assert.deepEqual(log, ["last"]);
    answer("last");
    assert.equal(await last, "last");
  });

  test("the others begin when all that is asked first is answered", async () => {
    const log: string[] = [];
    const turns = createTurns(2, 60_000);
    const { ask, answer } = createQuestions(log);
    const card = turns.take(ask("card"));
    const first = ["headline", "chart"].map((name) => turns.first(ask(name)));
    answer("headline");
    await first[0];
    await passes();
    assert.deepEqual(log, ["headline", "chart"]);
    answer("chart");
    await first[1];
    await passes();
    assert.deepEqual(log, ["headline", "chart", "card"]);
    answer("card");
    await card;
  });

  test("what is asked first holds the others for a bounded time", async () => {
    const log: string[] = [];
    const turns = createTurns(2, 1);
    const { ask, answer } = createQuestions(log);
    const headline = turns.first(ask("headline"));
    const card = turns.take(async () => log.push("card"));
    await card;
    assert.deepEqual(log, ["headline", "card"]);
    answer("headline");
    await headline;
  });
});
