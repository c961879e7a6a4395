import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import { ApiError } from "../../src/contract/errors.ts";
import { EngineBusy, type RawAnswer } from "../../src/engines/analytics.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createRunReport, type ReportDeps } from "../../src/query/run.ts";
import { createTurns } from "../../src/query/turns.ts";

const NO_DAYS = { meta: [], data: [], rows: 0, statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } };
const SCOPE = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
const QUERY = { limit: 50, offset: 0 };

/** An engine whose answers the test ends itself, one report at a time. */
function slowEngine(answer: (signal: AbortSignal | undefined) => Promise<RawAnswer>): ReportDeps {
  return {
    engine: {
      selectJson: () => Promise.resolve(NO_DAYS),
      selectRaw: (_sql, options) => answer(options?.signal),
    },
    clock: systemClock,
    turns: createTurns({ running: 1, waiting: 0, waitMs: 1_000 }),
  };
}

async function answerWith(bodies: PassThrough[]): Promise<RawAnswer> {
  const body = new PassThrough();
  bodies.push(body);
  return { body, headers: {} };
}

describe("the limits of reports", () => {
  test("a report holds its turn until its answer is read to the end", async () => {
    const bodies: PassThrough[] = [];
    const run = createRunReport(slowEngine(() => answerWith(bodies)));
    const ask = () => run("top_chains", SCOPE, QUERY, new AbortController().signal);
    await ask();
    await assert.rejects(ask(), (cause) => cause instanceof ApiError && cause.code === "TOO_MANY_REQUESTS");
    const [body] = bodies;
    body?.end();
    body?.resume();
    await new Promise((resolve) => body?.once("close", resolve));
    await ask();
  });

  test("a client that goes away frees its turn, before the answer begins and after", async () => {
    const waiting = slowEngine(
      (signal) => new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error))),
    );
    const run = createRunReport(waiting);
    for (let i = 0; i < 3; i += 1) {
      const gone = new AbortController();
      const asked = assert.rejects(run("top_chains", SCOPE, QUERY, gone.signal), /gone/);
      setImmediate(() => gone.abort(new Error("gone")));
      await asked;
    }
    const bodies: PassThrough[] = [];
    const streaming = createRunReport(slowEngine(() => answerWith(bodies)));
    await streaming("top_chains", SCOPE, QUERY, new AbortController().signal);
    const [body] = bodies;
    body?.destroy();
    await new Promise((resolve) => body?.once("close", resolve));
    await streaming("top_chains", SCOPE, QUERY, new AbortController().signal);
  });

  test("a query that runs out of memory or time gives its turn back and says busy", async () => {
    const run = createRunReport(slowEngine(() => Promise.reject(new EngineBusy("memory", { code: 241 }))));
    for (let i = 0; i < 3; i += 1) {
      await assert.rejects(run("top_chains", SCOPE, QUERY, new AbortController().signal), EngineBusy);
    }
  });
});
