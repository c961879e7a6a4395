import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError } from "../../src/contract/errors.ts";
import { EngineBusy } from "../../src/engines/failures.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createRunReport } from "../../src/query/run.ts";
import { createQuerySlots } from "../../src/query/slots.ts";
import { engineAnswering } from "./engine-answering.ts";

const OWNER = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
const QUERY = { limit: 50, offset: 0 };

/** One report at a time, of an engine whose answers the test ends itself. */
function limited(answer: (signal: AbortSignal | undefined) => Promise<void>) {
  const slots = createQuerySlots({ running: 1, waiting: 0, waitMs: 1_000 });
  const run = createRunReport({ engine: engineAnswering(answer), clock: systemClock, slots });
  return (signal = new AbortController().signal) => run("top_chains", OWNER, QUERY, signal);
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

  test("a client that goes away frees its slot", async () => {
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

  test("a query that runs out of memory or time gives its slot back and says busy", async () => {
    const ask = limited(() => Promise.reject(new EngineBusy("memory")));
    for (let i = 0; i < 3; i += 1) await assert.rejects(ask(), EngineBusy);
  });
});
