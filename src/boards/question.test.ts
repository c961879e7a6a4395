import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ChartDraft } from "../contract/charts.ts";
import { toSpec } from "./chart.ts";
import { toQuestion } from "./question.ts";

const DAYS = { date_from: "2026-03-01", date_to: "2026-03-31" };
const chart = (draft: Omit<ChartDraft, "title">) => toSpec({ title: "t", ...draft } as ChartDraft);
const paramsOf = (draft: Omit<ChartDraft, "title">, asked = {}) => {
  const question = toQuestion(chart(draft), { ...DAYS, ...asked });
  assert.equal(question.kind, "report");
  return { ...question };
};

describe("what a chart asks", () => {
  test("a funnel: its steps, window, kind and breakdown", () => {
    const steps = [
      { type: "event", event: "page" },
      { type: "track", event: "Swap", rdns: { op: "eq", value: "io.metamask" } },
    ];
    const settings = {
      funnelType: "open",
      conversionWindow: { value: 2, unit: "week" },
      breakdown: "device",
      filters: '[{"field":"os","op":"eq","value":"iOS"}]',
    };
    const asked = { filters: '[{"field":"device","op":"eq","value":"mobile"}]', segment: "seg_1" };
    assert.deepEqual(paramsOf({ chart_type: "funnel", query: "SELECT 1", steps, settings }, asked), {
      kind: "report",
      name: "funnel",
      params: {
        steps: JSON.stringify(steps),
        window_seconds: 1_209_600,
        funnel_type: "open",
        group_by: "device",
        ...DAYS,
        filters: '[{"field":"os","op":"eq","value":"iOS"},{"field":"device","op":"eq","value":"mobile"}]',
        segment: "seg_1",
      },
    });
  });

  test("the segments of the chart and of the board, and one that is compared: all of them", () => {
    const draft = { chart_type: "bar", report: "top_sources", params: { segment: "seg_own" } } as const;
    const ask = (segment: string, compared?: string) => {
      const question = toQuestion(chart(draft), { ...DAYS, segment }, compared);
      return question.kind === "report" ? [question.params.segment, question.further] : [];
    };
    assert.deepEqual(ask("seg_board"), ["seg_board", ["seg_own"]]);
    assert.deepEqual(ask("seg_own"), ["seg_own", undefined]);
    assert.deepEqual(ask("seg_board", "seg_compared"), ["seg_compared", ["seg_board", "seg_own"]]);
    const retention = { chart_type: "retention", settings: { segment: "seg_own" } } as const;
    assert.equal(paramsOf(retention).params.segment, "seg_own");
  });

  test("within its days alone: no comparison, no order by a change, and no step after the last day", () => {
    const params = { order_by: "visitors_change", include_previous_period: true, compare_from: "2026-01-01" };
    const ranked = { chart_type: "table", report: "breakdown", params } as const;
    assert.deepEqual(paramsOf(ranked, { isWithinDays: true }).params, { order_by: "visitors", ...DAYS });
    assert.deepEqual(paramsOf(ranked).params, { ...params, ...DAYS });
    const steps = [{ type: "event", event: "page" }];
    assert.equal(paramsOf({ chart_type: "funnel", steps }, { isWithinDays: true }).params.within_dates, true);
  });

  test("without a window: two hours", () => {
    const steps = [{ type: "event", event: "page" }];
    assert.equal(paramsOf({ chart_type: "funnel", steps }).params.window_seconds, 7_200);
  });

  test("paths: anchors, or the older start and end, with numbers moved into their ranges", () => {
    const [start, end] = [
      { type: "event", event: "connect" },
      { type: "track", event: "Swap" },
    ];
    const expected = {
      start_step: JSON.stringify(start),
      end_step: JSON.stringify(end),
      window_seconds: 86_400,
      max_steps: 5,
      nodes_per_step: 2,
      ...DAYS,
    };
    const common = { conversionWindow: { value: 1, unit: "day" }, maxSteps: 9, nodesPerStep: 1 };
    for (const settings of [
      { anchors: [start, end], ...common },
      { startStep: start, endStep: end, ...common },
    ])
      assert.deepEqual(paramsOf({ chart_type: "user_paths", settings }).params, expected);
    const { params } = paramsOf({ chart_type: "user_paths", settings: { anchors: [start] } });
    assert.deepEqual([params.max_steps, params.nodes_per_step, params.end_step], [3, 5, undefined]);
  });

  test("retention: the activity, and filters of users in both spellings", () => {
    const swap = { type: "track", event: "Swap" };
    const filters = [{ operand: "device", operator: "eq", value: "mobile" }];
    const settings = { entryFilter: swap, retentionFilter: swap, retentionUserFilters: filters };
    assert.deepEqual(paramsOf({ chart_type: "retention", settings }).params, {
      event_type: "track",
      event_name: "Swap",
      user_filters: JSON.stringify(filters),
      limit: 52,
      ...DAYS,
    });
    assert.deepEqual(paramsOf({ chart_type: "retention" }).params, { limit: 52, ...DAYS });
    const connect = { type: "event", event: "connect" };
    const of = (entryFilter: object | null, retentionFilter: object | null) => {
      const {
        limit: _,
        date_from: _from,
        date_to: _to,
        ...own
      } = paramsOf({
        chart_type: "retention",
        settings: { entryFilter, retentionFilter } as object,
      }).params;
      return own;
    };
    assert.deepEqual(of(connect, null), { entry_type: "connect" });
    assert.deepEqual(of(null, connect), { entry_type: "any", event_type: "connect" });
    assert.deepEqual(of(connect, swap), { entry_type: "connect", event_type: "track", event_name: "Swap" });
  });

  test("a report: its parameters, lists of them as JSON, with the filters of both", () => {
    const params = { metric_column: "channel", limit: 5, filters: [{ field: "os", op: "eq", value: "iOS" }] };
    const asked = { filters: '[{"field":"device","op":"eq","value":"mobile"}]' };
    assert.deepEqual(paramsOf({ chart_type: "bar", report: "top_sources", params }, asked).params, {
      metric_column: "channel",
      limit: 5,
      filters: '[{"field":"os","op":"eq","value":"iOS"},{"field":"device","op":"eq","value":"mobile"}]',
      ...DAYS,
    });
    // What is no list goes to the report, which says so.
    assert.equal(paramsOf({ chart_type: "bar", report: "kpis" }, { filters: "x" }).params.filters, "x");
  });
});
