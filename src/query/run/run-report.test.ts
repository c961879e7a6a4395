import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { EngineBusy } from "../../engines/failures.ts";
import { systemClock } from "../../lib/clock.ts";
import { engineAnswering, questionOf } from "../testing.ts";
import type { ReportOutcome } from "./in-slot.ts";
import { createRunReport } from "./run-report.ts";
import { createQuerySlots } from "./slots.ts";

const OWNER = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
const QUESTION = questionOf("top_chains", { limit: 50, offset: 0 });

/** One report at a time, on an engine whose answers the test ends. */
function limited(answer: (signal: AbortSignal | undefined) => Promise<void>) {
  const slots = createQuerySlots({ running: 1, waiting: 0, waitMs: 1_000 });
  const run = createRunReport({ engine: engineAnswering(answer), clock: systemClock, slots });
  return (signal = new AbortController().signal) => run("top_chains", OWNER, QUESTION, signal);
}

describe("the limits of reports", () => {
  test("a report holds its slot until it is answered", async () => {
    const answers: (() => void)[] = [];
    const ask = limited(() => new Promise((resolve) => answers.push(resolve)));
    const first = ask();
    await assert.rejects(ask(), (cause) => cause instanceof ApiError && cause.code === "TOO_MANY_REQUESTS");
    answers.shift()?.();
    await first;
    const second = ask();
    await new Promise(setImmediate);
    answers.shift()?.();
    await second;
  });

  test("a client that disconnects frees its slot", async () => {
    const ask = limited(
      (signal) => new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error))),
    );
    for (let i = 0; i < 3; i += 1) {
      const gone = new AbortController();
      const asked = assert.rejects(ask(gone.signal), /gone/);
      setImmediate(() => gone.abort(new Error("gone")));
      await asked;
    }
  });

  test("a query that runs out of memory or time releases its slot and is reported as busy", async () => {
    const ask = limited(() => Promise.reject(new EngineBusy("memory")));
    for (let i = 0; i < 3; i += 1) await assert.rejects(ask(), EngineBusy);
  });
});

/** Reports with a recorded outcome, on an engine whose answers the test ends. */
function observed(running = 1) {
  const ended: [string, ReportOutcome][] = [];
  const answers: PromiseWithResolvers<void>[] = [];
  const slots = createQuerySlots({ running, waiting: 0, waitMs: 1_000 });
  const engine = engineAnswering((signal) => {
    const answer = Promise.withResolvers<void>();
    signal?.addEventListener("abort", () => answer.reject(signal.reason as Error));
    answers.push(answer);
    return answer.promise;
  });
  const run = createRunReport({
    engine,
    clock: systemClock,
    slots,
    observe: (name, outcome, seconds) => {
      assert.ok(seconds >= 0);
      ended.push([name, outcome]);
    },
  });
  const ask = (signal = new AbortController().signal) => run("top_chains", OWNER, QUESTION, signal);
  const asked = async (count: number) => {
    while (answers.length < count) await new Promise(setImmediate);
  };
  return { ask, asked, answers, ended, slots };
}

describe("the metric of a report", () => {
  test("it counts as answered when the engine has answered, and runs until then", async () => {
    const { ask, asked, answers, ended, slots } = observed();
    const report = ask();
    await asked(1);
    assert.deepEqual([ended, slots.count()], [[], { running: 1, waiting: 0 }]);
    answers[0]?.resolve();
    await report;
    assert.deepEqual([ended, slots.count()], [[["top_chains", "answered"]], { running: 0, waiting: 0 }]);
  });

  test("as abandoned when its client has disconnected, and as failed when the engine failed", async () => {
    const { ask, asked, answers, ended } = observed(2);
    const gone = new AbortController();
    const left = assert.rejects(ask(gone.signal), /gone/);
    const broken = assert.rejects(ask(), /the engine ended/);
    await asked(2);
    gone.abort(new Error("gone"));
    await left;
    answers[1]?.reject(new Error("the engine ended"));
    await broken;
    assert.deepEqual(
      ended.map(([, outcome]) => outcome),
      ["abandoned", "failed"],
    );
  });

  test("as limited when the workspace has no slot left", async () => {
    const { ask, asked, answers, ended } = observed();
    const first = ask();
    await asked(1);
    await assert.rejects(ask(), (cause) => cause instanceof ApiError && cause.code === "TOO_MANY_REQUESTS");
    assert.deepEqual(ended, [["top_chains", "limited"]]);
    answers[0]?.resolve();
    await first;
  });
});
