/** How charts of boards are drawn: days without rows, the days before, heights, and answers to older questions. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { COHORTS_KIND } from "../../dashboard/src/charts/kinds/cohorts.ts";
import { BAR_KIND, type ColumnsLook, LINE_KIND, PIE_KIND } from "../../dashboard/src/charts/kinds/columns.ts";
import { withLineBefore } from "../../dashboard/src/panels/days-before.ts";

interface Fields {
  chart_type: string;
  title: string;
  query?: string | null;
  report?: string | null;
  params?: object | null;
  x_axis?: string | null;
  y_axis?: readonly string[] | null;
  group_by?: string | null;
  settings?: object | null;
}

// Imported by its path as a text: the types of a browser, which its neighbours need, are not those of this process.
const SAVED_CHART = "../../dashboard/src/panels/saved-chart.ts";
const { answeredChart, drawnChart, questionText } = (await import(SAVED_CHART)) as {
  answeredChart: (answered: Fields | undefined, chart: Fields) => Fields;
  drawnChart: (chart: Fields) => { spec: { type: string; look: ColumnsLook }; params: Record<string, string> };
  questionText: (chart: Fields) => string;
};

const NOW = { today: "2026-01-31", nowMs: Date.parse("2026-01-31T12:00:00Z") };
const JANUARY = { date_from: "2026-01-08", date_to: "2026-01-14" };
const BEFORE = { date_from: "2026-01-01", date_to: "2026-01-07" };

/** The line of a saved chart: its numbers, and the names of its places. */
function drawLine(
  chart: Fields,
  rows: readonly Record<string, unknown>[],
  days: Record<string, string>,
  nowMs = NOW.nowMs,
) {
  const { spec, params } = drawnChart(chart);
  return LINE_KIND.drawing(rows, { ...NOW, nowMs, look: spec.look, asked: { ...params, ...days } });
}

const KPIS: Fields = { chart_type: "line", title: "t", report: "kpis", x_axis: "date", y_axis: ["visitors"] };
const SQL: Fields = { chart_type: "line", title: "t", query: "SELECT", x_axis: "day", y_axis: ["n"] };
const kpi = (date: string, visitors: number) => ({ date, visitors });

describe("a line of a board", () => {
  test("has every day that was asked for: a zero of a report, and nothing of SQL", () => {
    const days = [kpi("2026-01-08", 1), kpi("2026-01-11", 4)];
    assert.deepEqual(drawLine(KPIS, days, JANUARY).series[0]?.values, [1, 0, 0, 4, 0, 0, 0]);
    const rows = days.map(({ date, visitors }) => ({ day: date, n: visitors }));
    assert.deepEqual(drawLine(SQL, rows, JANUARY).series[0]?.values, [1, null, null, 4, null, null, null]);
    const midday = Date.parse("2026-01-12T12:00:00Z");
    const open = drawLine(KPIS, days, JANUARY, midday);
    assert.deepEqual(open.series[0]?.values, [1, 0, 0, 4, 0, null, null], "days to come have no number");
    assert.equal(open.places.length, 7);
  });

  test("has the weeks and months of its report, whose first one begins with the period", () => {
    const weekly = { ...KPIS, params: { interval: "week" } };
    const days = { date_from: "2026-01-07", date_to: "2026-01-25" };
    const drawing = drawLine(weekly, [kpi("2026-01-07", 2), kpi("2026-01-19", 5)], days);
    assert.deepEqual(drawing.series[0]?.values, [2, 0, 5]);
    assert.match(drawing.places[1]?.label ?? "", /^Week of/);
  });

  test("of SQL has the step that its rows have: hours, days, weeks or months, and none for any times", () => {
    const cases: [times: readonly string[], count: number][] = [
      [["2026-01-08 05:00:00", "2026-01-09 07:00:00"], 7 * 24],
      [["2026-01-08", "2026-01-10"], 7],
      [["2026-01-08"], 7],
      // Weeks of SQL may begin on Sunday, before the period.
      [["2026-01-04", "2026-01-11"], 2],
      [["2026-01-08 05:13:20", "2026-01-09 07:00:00"], 2],
      // Days that nobody asked for.
      [["2025-01-08", "2026-01-10"], 2],
    ];
    for (const [times, count] of cases) {
      const rows = times.map((day) => ({ day, n: 1 }));
      assert.equal(drawLine(SQL, rows, JANUARY).places.length, count, times.join());
    }
    const months = ["2026-01-01", "2026-03-01"].map((day) => ({ day, n: 1 }));
    const year = { date_from: "2026-01-01", date_to: "2026-06-30" };
    assert.equal(drawLine(SQL, months, year).places.length, 6);
    assert.equal(drawLine(SQL, [{ day: "2026-01-08", n: 1 }], {}).places.length, 1, "without days");
  });

  test("has the days before beside its own, day by day, whichever of them have rows", () => {
    const now = drawLine(KPIS, [kpi("2026-01-08", 1), kpi("2026-01-11", 4)], JANUARY);
    const before = drawLine(KPIS, [kpi("2026-01-03", 7), kpi("2026-01-04", 9)], BEFORE);
    const { series } = withLineBefore({ ...now }, { ...before }, BEFORE.date_from) as unknown as typeof now;
    assert.deepEqual(series[1]?.values, [0, 0, 7, 9, 0, 0, 0], "January 11 beside January 4");
    assert.equal(series[1]?.isBefore, true);
  });

  test("has no days before where its axis is no time", () => {
    const names: Fields = { chart_type: "line", title: "t", query: "SELECT", x_axis: "name", y_axis: ["n"] };
    const now = drawLine(names, [{ name: "a", n: 1 }], JANUARY);
    const before = drawLine(names, [{ name: "b", n: 2 }], BEFORE);
    assert.equal((withLineBefore({ ...now }, { ...before }, BEFORE.date_from).series as object[]).length, 1);
  });
});

describe("more groups than colours", () => {
  const rates = Array.from({ length: 10 }, (_, n) => ({
    date: "2026-01-08",
    channel: `c${n}`,
    bounce_rate: 0.5 + n / 100,
  }));
  const grouped: Fields = { ...KPIS, y_axis: ["bounce_rate"], group_by: "channel" };

  test("of rates are left out and counted, never added up", () => {
    const drawing = drawLine(grouped, rates, { date_from: "2026-01-08", date_to: "2026-01-08" });
    assert.equal(drawing.series.length, 8);
    assert.ok(drawing.series.every(({ values }) => (values[0] ?? 0) < 1));
    assert.deepEqual([drawing.left, drawing.leftName], [2, "group"]);
    const { look } = drawnChart({ ...grouped, chart_type: "pie", x_axis: "channel", group_by: null }).spec;
    const pie = PIE_KIND.drawing(rates, { ...NOW, look, asked: {} });
    assert.deepEqual([pie.slices.length, pie.left], [8, 2]);
    assert.ok(pie.slices.every(({ name }) => name !== "Others"));
  });

  test("of rates that stand at one place have no number", () => {
    const twice = [...rates.slice(0, 1), ...rates.slice(0, 2)];
    const days = { date_from: "2026-01-08", date_to: "2026-01-08" };
    const look = { ...drawnChart(grouped).spec.look, absent: undefined as never };
    const { series } = LINE_KIND.drawing(twice, { ...NOW, look, asked: days });
    assert.deepEqual(
      series.map(({ values }) => values[0]),
      [null, 0.51],
    );
  });

  test("of counts are one, Others", () => {
    const counts = rates.map(({ date, channel }) => ({ date, channel, visitors: 1 }));
    const days = { date_from: "2026-01-08", date_to: "2026-01-08" };
    const { series, left } = drawLine({ ...KPIS, group_by: "channel" }, counts, days);
    assert.deepEqual([series.at(-1), left], [{ name: "Others", values: [3] }, 0]);
  });
});

describe("a saved chart", () => {
  test("is as high as its place on the board, also as bars", () => {
    for (const [height, pixels] of [
      [1, 84],
      [2, 232],
      [3, 452],
    ] as const) {
      const chart = { ...SQL, chart_type: "bar", settings: { layout: { width: 2, height } } };
      const { spec } = drawnChart(chart);
      const drawing = BAR_KIND.drawing([{ day: "2026-01-08", n: 1 }], { ...NOW, look: spec.look, asked: JANUARY });
      assert.equal("series" in drawing ? drawing.height : undefined, pixels);
    }
  });

  test("has another answer with another question, and the same with other words, place or look", () => {
    const chart = { ...SQL, settings: { layout: { width: 2, height: 2 } } };
    const same: Fields[] = [
      { ...chart, title: "Other", settings: { layout: { width: 4, height: 3 } } },
      { ...chart, settings: { drawn: { type: "trend" } } },
      { ...SQL, settings: null, report: null, params: null },
    ];
    for (const one of same) assert.equal(questionText(one), questionText(chart), JSON.stringify(one));
    const others = [
      { query: "SELECT 2" },
      { y_axis: ["m"] },
      { chart_type: "bar" },
      { settings: { segment: "seg_1" } },
    ];
    for (const one of others)
      assert.notEqual(questionText({ ...chart, ...one }), questionText(chart), JSON.stringify(one));
  });

  test("is drawn with the place that the page knows, and by the question that was answered", () => {
    const layout = { width: 4, height: 3 };
    const answered = { ...SQL, settings: { layout: { width: 1, height: 1 }, drawn: { type: "trend" } } };
    const resized = { ...SQL, settings: { layout } };
    assert.deepEqual(answeredChart(answered, resized), resized);
    const changed = { ...resized, query: "SELECT 2", y_axis: ["m"] };
    const drawn = answeredChart(answered, changed);
    assert.deepEqual([drawn.y_axis, drawn.settings], [["n"], { drawn: { type: "trend" }, layout }]);
    assert.equal(answeredChart(undefined, changed), changed);
  });

  test("without a first day, as on a shared page, has no cohorts before the first with anybody", () => {
    const user = ["2025-12-29", "2026-01-05", "2026-01-12"].map((start, n) => [start, start, n === 0 ? 0 : 5, 1]);
    const context = {
      ...NOW,
      look: { sinceFirstDay: true },
      asked: { date_from: "2025-12-29", date_to: "2026-01-25" },
    };
    const { cohorts } = COHORTS_KIND.drawing([{ user }] as never, context);
    assert.equal(cohorts[0]?.users, 5);
    assert.equal(cohorts.length, 2);
  });
});
