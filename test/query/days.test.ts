import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../src/lib/clock.ts";
import { createRunReport } from "../../src/query/run.ts";
import { createTurns } from "../../src/query/turns.ts";

/** Longer than a look is shared. */
const LATER_MS = 300;

/** An engine with one day, whose build the test changes; a statement is answered with the builds it was asked about. */
function setUp() {
  const asked: { builds: number[]; body: PassThrough }[] = [];
  const state = { build: 1, looks: 0, fails: false };
  const engine = {
    selectJson: async () => {
      state.looks += 1;
      await delay(5);
      if (state.fails) throw new Error("no engine");
      return {
        data: [{ project_id: "p", day: "2026-03-10", build: state.build, is_open: 0, key_days: ["2026-03-10"] }],
      };
    },
    selectRaw: async (_sql: string, { params }: { params: { builds: number[] } }) => {
      const body = new PassThrough();
      asked.push({ builds: params.builds, body });
      body.end(String(params.builds));
      return { body, headers: {} };
    },
  };
  const run = createRunReport({
    engine: engine as unknown as Parameters<typeof createRunReport>[0]["engine"],
    clock: systemClock,
    turns: createTurns({ running: 10, waiting: 0, waitMs: 1 }),
  });
  const scope = { workspaceId: "w", projects: [{ id: "p", excludeBots: false }] };
  const query = { limit: 50, offset: 0, date_from: "2026-03-10", date_to: "2026-03-10" };
  const ask = async () => {
    const { body } = await run("top_chains", scope, query, new AbortController().signal);
    let text = "";
    for await (const chunk of body) text += String(chunk);
    return text;
  };
  return { ask, asked, state };
}

describe("what a report sees of the days", () => {
  test("it begins with what the last one saw, and looks again", async () => {
    const { ask, asked, state } = setUp();
    assert.equal(await ask(), "1");
    assert.equal(await ask(), "1");
    assert.deepEqual([asked.length, state.looks], [2, 1], "a look is shared for a while");
    await delay(LATER_MS);
    assert.equal(await ask(), "1");
    assert.deepEqual([asked.length, state.looks], [3, 2]);
  });

  test("it begins anew when they are not what they were", async () => {
    const { ask, asked, state } = setUp();
    await ask();
    state.build = 2;
    await delay(LATER_MS);
    assert.equal(await ask(), "2");
    assert.deepEqual(
      asked.map(({ builds }) => builds),
      [[1], [1], [2]],
    );
    assert.equal(asked[1]?.body.destroyed, true, "nobody reads the first answer");
  });

  test("it fails when they cannot be seen, whatever the last one saw", async () => {
    const { ask, state } = setUp();
    await ask();
    state.fails = true;
    await delay(LATER_MS);
    await assert.rejects(ask());
    state.fails = false;
    assert.equal(await ask(), "1");
  });
});
