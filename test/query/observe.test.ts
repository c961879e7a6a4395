import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import { ApiError } from "../../src/contract/errors.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createRunReport, type ReportOutcome } from "../../src/query/run.ts";
import { createTurns } from "../../src/query/turns.ts";

/** An engine whose answers the test writes by hand. */
function setUp(running = 1) {
  const ended: [string, ReportOutcome][] = [];
  const bodies: PassThrough[] = [];
  const turns = createTurns({ running, waiting: 0, waitMs: 1_000 });
  const engine = {
    selectJson: async <T>() => ({ data: [] as T[] }),
    selectRaw: async () => {
      const body = new PassThrough();
      bodies.push(body);
      return { body, headers: {} };
    },
  };
  const run = createRunReport({
    engine: engine as unknown as Parameters<typeof createRunReport>[0]["engine"],
    clock: systemClock,
    turns,
    observe: (name, outcome, seconds) => {
      assert.ok(seconds >= 0);
      ended.push([name, outcome]);
    },
  });
  const ask = (signal = new AbortController().signal, query = {}) =>
    run("top_chains", { workspaceId: "w", projects: [] }, { limit: 50, offset: 0, ...query }, signal);
  return { ask, bodies, ended, turns };
}

const closed = (body: PassThrough) => new Promise((resolve) => body.once("close", resolve));

describe("what is measured of a report", () => {
  test("it counts as answered when its last byte was read, and runs until then", async () => {
    const { ask, ended, turns } = setUp();
    const { body } = await ask();
    assert.deepEqual([ended, turns.count()], [[], { running: 1, waiting: 0 }]);
    (body as PassThrough).end("{}");
    body.resume();
    await closed(body as PassThrough);
    assert.deepEqual([ended, turns.count()], [[["top_chains", "answered"]], { running: 0, waiting: 0 }]);
  });

  test("as abandoned when its reader has gone away, and as failed when the engine broke off", async () => {
    const { ask, bodies, ended } = setUp(2);
    const gone = new AbortController();
    await ask(gone.signal);
    await ask();
    gone.abort();
    const both = bodies.map(closed);
    bodies[0]?.destroy();
    bodies[1]?.on("error", () => undefined).destroy(new Error("the engine ended"));
    await Promise.all(both);
    assert.deepEqual(
      ended.map(([, outcome]) => outcome),
      ["abandoned", "failed"],
    );
  });

  test("as limited when the workspace has no turn left; a query that is not valid is not measured", async () => {
    const { ask, ended } = setUp();
    await ask();
    await assert.rejects(ask(), (cause) => cause instanceof ApiError && cause.code === "TOO_MANY_REQUESTS");
    await assert.rejects(ask(undefined, { filters: "nonsense" }), ApiError);
    assert.deepEqual(ended, [["top_chains", "limited"]]);
  });
});
