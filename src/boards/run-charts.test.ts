import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ChartDraft } from "../contract/charts.ts";
import { ApiError } from "../contract/errors.ts";
import { EngineBusy, EngineDown } from "../engines/failures.ts";
import type { ReportAnswer } from "../query/run/run-report.ts";
import { type Chart, toSpec } from "./chart.ts";
import { type ChartNeeds, createRunCharts, type Viewer } from "./run-charts.ts";

const OWNER = { workspaceId: "w", project: { id: "p", excludeBots: false, retentionDays: null } };
const DAYS = { date_from: "2026-03-01", date_to: "2026-03-31" };

function chartOf(n: number, limit = n, further = {}): Chart {
  const draft = { chart_type: "table", title: "t", report: "top_chains", params: { limit, ...further } } as ChartDraft;
  const place = { id: `cht_${n}`, projectId: "p", boardId: "b", position: n, createdAtMs: 0, updatedAtMs: null };
  return { ...toSpec(draft), ...place };
}

const ANSWER: ReportAnswer = {
  meta: [],
  data: [],
  rows: 0,
  rows_before_limit_at_least: 0,
  statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 },
  timezone: "UTC",
};

/** Charts over reports that the test answers, by their limits. */
function started(
  answer: (limit: number) => Promise<void>,
  version = async () => "v",
  findSegment: () => Promise<readonly unknown[]> = async () => [],
  data: ReportAnswer["data"] = [],
) {
  let [running, most, asked, nowMs] = [0, 0, 0, 0];
  const needs = {
    clock: { nowMs: () => nowMs },
    runLookup: version,
    findSegment,
    findSegmentTitles: async (_w: unknown, _p: unknown, ids: string[]) => new Map(ids.map((id) => [id, `of ${id}`])),
    reports: {
      async ask(_owner: unknown, _name: unknown, { limit }: { limit: number }) {
        running += 1;
        asked += 1;
        most = Math.max(most, running);
        await answer(limit).finally(() => (running -= 1));
        return { ...ANSWER, data };
      },
    },
  } as unknown as ChartNeeds;
  const { signal } = new AbortController();
  const { runAll, run: runOne } = createRunCharts(needs);
  const run = (charts: readonly Chart[]) => runAll(OWNER, charts, DAYS, { signal });
  const runAs = (chart: Chart, viewer: Partial<Viewer> = {}) => runOne(OWNER, chart, DAYS, { signal, ...viewer });
  return { run, runAs, count: () => ({ most, asked }), pass: (ms: number) => (nowMs += ms) };
}

const later = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("the charts of a board", () => {
  test("run two at a time", async () => {
    const { run, count } = started(later);
    const { answers, failed } = await run(Array.from({ length: 9 }, (_, n) => chartOf(n)));
    assert.deepEqual([answers.size, failed, count()], [9, [], { most: 2, asked: 9 }]);
  });

  test("that ask the same run once", async () => {
    const { run, count } = started(later);
    const { answers } = await run(Array.from({ length: 6 }, (_, n) => chartOf(n, 7)));
    assert.deepEqual([answers.size, count().asked], [6, 1]);
  });

  test("one that fails is told, and the others answer", async () => {
    const { run } = started(async (limit) => {
      if (limit === 1) throw new ApiError("BAD_REQUEST", "There is no such column");
      if (limit === 2) throw new EngineBusy("memory");
    });
    const { answers, failed } = await run([chartOf(0), chartOf(1), chartOf(2), chartOf(3)]);
    assert.deepEqual([...answers.keys()].sort(), ["cht_0", "cht_3"]);
    assert.deepEqual(failed, [
      { chartId: "cht_1", error: "There is no such column" },
      { chartId: "cht_2", error: "The question took too long, or needs too much memory" },
    ]);
  });

  test("fail together when the engine is unavailable, and the rest is not tried", async () => {
    const { run, count } = started(() => Promise.reject(new EngineDown("gone")));
    await assert.rejects(run(Array.from({ length: 9 }, (_, n) => chartOf(n))), EngineDown);
    assert.ok(count().asked <= 2);
  });

  test("are asked again when their segment has changed, and fail when it is gone", async () => {
    let filters: readonly unknown[] | undefined = [{ field: "device", op: "eq", value: "desktop" }];
    const find = async () => filters ?? Promise.reject(new ApiError("NOT_FOUND", "There is no such segment"));
    const { run, count } = started(later, undefined, find);
    const charts = [chartOf(1, 1, { segment: "seg_1" })];
    await run(charts);
    await run(charts);
    assert.equal(count().asked, 1);
    filters = [];
    await run(charts);
    assert.equal(count().asked, 2);
    filters = undefined;
    assert.deepEqual((await run(charts)).failed, [{ chartId: "cht_1", error: "There is no such segment" }]);
  });

  test("a member does not wait in the queue of people with a link, who get the member's answer", async () => {
    const { runAs, count } = started(later);
    const turn = Promise.withResolvers<() => void>();
    let left = 0;
    const queue = { name: "lnk_1", enter: () => turn.promise };
    const waits = runAs(chartOf(1), { queue });
    assert.equal((await runAs(chartOf(1))).rows, 0);
    await runAs(chartOf(1), { queue });
    assert.equal(count().asked, 1);
    turn.resolve(() => (left += 1));
    await waits;
    assert.equal(left, 1);
  });

  test("that compare segments are joined once for all viewers", async () => {
    const { runAs, count } = started(later, undefined, undefined, [{ n: 1 }]);
    const chart = { ...chartOf(1), settings: { segments: ["seg_1", "seg_2"] } };
    const [first, same] = await Promise.all([runAs(chart), runAs(chart)]);
    assert.deepEqual((JSON.parse(first.text) as { data: unknown }).data, [
      { n: 1, segment: "of seg_1" },
      { n: 1, segment: "of seg_2" },
    ]);
    assert.equal(same, first);
    assert.equal(await runAs(chart), first);
    assert.equal(count().asked, 2);
  });

  test("look for the version of the data once while that waits for a slot, and again after a failure", async () => {
    const lookups: PromiseWithResolvers<string>[] = [];
    const look = () => {
      const one = Promise.withResolvers<string>();
      lookups.push(one);
      return one.promise;
    };
    const { run, pass, count } = started(later, look);
    const asked = [run([chartOf(1)])];
    for (let nth = 0; nth < 5; nth += 1) {
      pass(1_000);
      asked.push(run([chartOf(1)]));
    }
    assert.equal(lookups.length, 1);
    lookups[0]?.resolve("v");
    await Promise.all(asked);
    assert.equal(count().asked, 1);
    pass(1_000);
    const failing = assert.rejects(run([chartOf(1)]), EngineDown);
    lookups[1]?.reject(new EngineDown("gone"));
    await failing;
    const again = run([chartOf(1)]);
    lookups[2]?.resolve("v");
    await again;
    assert.equal(lookups.length, 3);
  });

  test("are asked again when the data has changed, which is looked for once a second", async () => {
    let version = 0;
    const { run, count, pass } = started(later, async () => String(version));
    await run([chartOf(1)]);
    version = 1;
    await run([chartOf(1)]);
    assert.equal(count().asked, 1);
    pass(1_000);
    await run([chartOf(1)]);
    assert.equal(count().asked, 2);
    pass(1_000);
    await run([chartOf(1)]);
    assert.equal(count().asked, 2);
  });
});
