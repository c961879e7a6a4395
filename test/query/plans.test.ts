import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import type { ReportQuery } from "../../src/contract/analytics.ts";
import { createRunReport, type ReportScope } from "../../src/query/run.ts";
import { createTurns } from "../../src/query/turns.ts";

type Params = Readonly<Record<string, unknown>>;
const NOON = Date.parse("2026-03-10T12:00:00Z");
const PROJECT = { id: "p", excludeBots: false, retentionDays: null };

/** Answers nothing, and keeps what it was asked with. */
function setUp() {
  const asked: { sql: string; params: Params }[] = [];
  const clock = { ms: NOON };
  const engine = {
    selectJson: async () => ({
      data: [{ project_id: "p", day: "2026-03-10", build: 1, is_open: 0, key_days: ["2026-03-10"] }],
    }),
    selectRaw: async (sql: string, { params }: { params: Params }) => {
      asked.push({ sql, params });
      return { body: new PassThrough().end(), headers: {} };
    },
  };
  const run = createRunReport({
    engine: engine as unknown as Parameters<typeof createRunReport>[0]["engine"],
    clock: { nowMs: () => clock.ms },
    turns: createTurns({ running: 1, waiting: 0, waitMs: 1 }),
  });
  return {
    clock,
    async ask(query: Partial<ReportQuery> = {}, projects: ReportScope["projects"] = [PROJECT]) {
      const asking = { limit: 50, offset: 0, ...query };
      const { body } = await run("top_sources", { workspaceId: "w", projects }, asking, new AbortController().signal);
      for await (const _ of body) assert.fail("it is empty");
      return asked.at(-1) ?? assert.fail("nobody asked");
    },
  };
}

describe("the plan of a report", () => {
  test("is made once for the same question", async () => {
    const { ask, clock } = setUp();
    const first = await ask({ metric_column: "device" });
    clock.ms += 60_000;
    const again = await ask({ metric_column: "device" });
    assert.equal(again.params, first.params);
    assert.equal(again.sql, first.sql);
  });

  test("is another one on another day", async () => {
    const { ask, clock } = setUp();
    assert.equal((await ask()).params.last_day, "2026-03-10");
    clock.ms += 12 * 3_600_000;
    assert.equal((await ask()).params.last_day, "2026-03-11");
  });

  test("is another one for each part of the question", async () => {
    const { ask } = setUp();
    const filters = (value: string) => JSON.stringify([{ field: "device", op: "equals", value }]);
    const all = [
      await ask(),
      await ask({ limit: 51 }),
      await ask({ offset: 1 }),
      await ask({ metric_column: "device" }),
      await ask({ date_from: "2026-03-09" }),
      await ask({ date_to: "2026-03-11" }),
      await ask({ filters: filters("a") }),
      await ask({ filters: filters("b") }),
      await ask({}, [{ ...PROJECT, excludeBots: true }]),
      await ask({}, [{ ...PROJECT, id: "q" }]),
      await ask({}, [{ ...PROJECT, retentionDays: 1 }]),
      await ask({}, [PROJECT, { ...PROJECT, id: "q" }]),
    ];
    const spelled = all.map(({ sql, params }) => JSON.stringify([sql, params]));
    assert.equal(new Set(spelled).size, all.length);
  });

  test("that is refused is refused again", async () => {
    const { ask } = setUp();
    for (let i = 0; i < 2; i += 1) await assert.rejects(ask({ filters: "[1]" }), /validation|filters/i);
  });
});
