import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../src/lib/clock.ts";
import { createDaysReader } from "../../src/query/days.ts";
import { createRunReport } from "../../src/query/run.ts";
import { createTurns } from "../../src/query/turns.ts";

/** Longer than a look is shared. */
const LATER_MS = 300;

/** An engine with one day, whose build the test changes; a statement is answered with the builds it was asked about. */
function setUp() {
  const asked: { builds: number[]; body: PassThrough }[] = [];
  const state = { build: 1, looks: 0, fails: false, answers: true };
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
      if (state.answers) body.end(String(params.builds));
      return { body, headers: {} };
    },
  };
  const turns = createTurns({ running: 1, waiting: 0, waitMs: 1 });
  const outcomes: string[] = [];
  const run = createRunReport({
    engine: engine as unknown as Parameters<typeof createRunReport>[0]["engine"],
    clock: systemClock,
    turns,
    observe: (_name, outcome) => void outcomes.push(outcome),
  });
  const scope = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
  const query = { limit: 50, offset: 0, date_from: "2026-03-10", date_to: "2026-03-10" };
  const ask = async (signal = new AbortController().signal) => {
    const { body } = await run("top_chains", scope, query, signal);
    let text = "";
    for await (const chunk of body) text += String(chunk);
    return text;
  };
  return { ask, asked, state, turns, outcomes };
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

  const ends: [
    what: string,
    end: (body: PassThrough, leave: AbortController) => unknown,
    outcome: string,
    told: RegExp,
  ][] = [
    ["its reader goes away", (_body, leave) => leave.abort(new Error("left")), "abandoned", /left/],
    ["its answer fails", (body) => body.destroy(new Error("engine died")), "failed", /engine died/],
    ["its answer breaks off", (body) => body.destroy(), "failed", /broke off/],
  ];
  for (const [what, end, outcome, told] of ends)
    test(`when ${what} while it looks, that is told and its turn is given back`, async () => {
      const { ask, asked, state, turns, outcomes } = setUp();
      await ask();
      await delay(LATER_MS);
      state.answers = false;
      const leave = new AbortController();
      const report = ask(leave.signal);
      report.catch(() => undefined);
      while (asked.length < 2) await delay(1);
      end(asked[1]?.body ?? assert.fail(), leave);
      await assert.rejects(report, told);
      assert.deepEqual([turns.count(), outcomes], [{ running: 0, waiting: 0 }, ["answered", outcome]]);
      state.answers = true;
      assert.equal(await ask(), "1");
    });
});

describe("what is remembered of the days", () => {
  test("is made anew for another window, other kept days, or when a look sees something else", async () => {
    const rows = [
      { project_id: "p", day: "2026-03-10", build: 1, is_open: 0, key_days: ["2026-03-10"] },
      { project_id: "p", day: "2026-03-11", build: 2, is_open: 0, key_days: ["2026-03-11"] },
    ];
    const selectJson = async () => ({ data: structuredClone(rows) });
    const reader = createDaysReader({ selectJson } as unknown as Parameters<typeof createDaysReader>[0]);
    const window = { projects: ["p"], first_day: "2026-03-10", last_day: "2026-03-11" };
    const first = await reader.read(window, new Map());
    assert.deepEqual(first.builds, [1, 2]);
    assert.deepEqual((await reader.read({ ...window, first_day: "2026-03-11" }, new Map())).builds, [2]);
    assert.deepEqual((await reader.read(window, new Map([["p", "2026-03-11"]]))).builds, [2]);
    await delay(LATER_MS);
    assert.equal(await reader.read(window, new Map()), first, "a look that sees the same makes nothing");
    rows.push({ project_id: "p", day: "2026-03-20", build: 9, is_open: 0, key_days: ["2026-03-20"] });
    await delay(LATER_MS);
    assert.equal(await reader.read(window, new Map()), first, "nor does one that sees nothing else in the window");
    rows.splice(1, 1, { ...(rows[1] ?? assert.fail()), build: 3 });
    await delay(LATER_MS);
    assert.equal(reader.recall(window, new Map()), first);
    assert.deepEqual((await reader.read(window, new Map())).builds, [1, 3]);
  });

  test("is bounded in rows: what was asked about longest ago is forgotten first", async () => {
    let looks = 0;
    const day = { day: "2026-03-10", build: 1, is_open: 0, key_days: ["2026-03-10"] };
    const selectJson = async (_sql: string, { params }: { params: { projects: string[] } }) => {
      looks += 1;
      return { data: params.projects.map((project_id) => ({ project_id, ...day })) };
    };
    const engine = { selectJson } as unknown as Parameters<typeof createDaysReader>[0];
    const reader = createDaysReader(engine, 7);
    const window = (...projects: string[]) => ({ projects, first_day: "2026-03-01", last_day: "2026-03-31" });
    for (const projects of [["a", "b"], ["c"], ["a", "b"], ["d", "e"]])
      await reader.read(window(...projects), new Map());
    assert.equal(looks, 3);
    assert.deepEqual(
      [window("a", "b"), window("c"), window("d", "e")].map((one) => reader.recall(one, new Map()) !== undefined),
      [true, false, true],
    );
  });
});
