import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChartSpec } from "./chart.ts";
import { chooseDays, countLeftOut, defaultDays, findShown, toAsked } from "./link-lock.ts";
import { PLAIN_LINK } from "./links.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const DAYS = { ...PLAIN_LINK, days: 3 };
const WINDOW = { ...PLAIN_LINK, dateFrom: "2026-02-01", dateTo: "2026-02-10" };

test("without parameters a link shows all days that it has, and otherwise those of reports", () => {
  assert.deepEqual(defaultDays(PLAIN_LINK, NOW), { date_from: "2026-03-03", date_to: "2026-03-10" });
  assert.deepEqual(defaultDays(DAYS, NOW), { date_from: "2026-03-08", date_to: "2026-03-10" });
  assert.deepEqual(defaultDays(WINDOW, NOW), { date_from: "2026-02-01", date_to: "2026-02-10" });
  const since = { ...PLAIN_LINK, dateFrom: "2026-04-01" };
  assert.deepEqual(defaultDays(since, NOW), { date_from: "2026-04-01", date_to: "2026-04-01" });
});

test("days within the limits are those that were asked for, and all others are refused", () => {
  const days = { date_from: "2026-02-03", date_to: "2026-02-04" };
  assert.deepEqual(chooseDays(WINDOW, days, NOW), days);
  assert.deepEqual(chooseDays(PLAIN_LINK, { date_to: "2020-01-08" }, NOW), {
    date_from: "2020-01-01",
    date_to: "2020-01-08",
  });
  for (const [lock, given] of [
    [WINDOW, { date_from: "2026-01-31" }],
    [WINDOW, { date_to: "2026-02-11" }],
    [WINDOW, { date_to: "2026-01-31" }],
    [DAYS, { date_from: "2026-03-07" }],
    [DAYS, { date_to: "2026-03-11" }],
    [PLAIN_LINK, { date_from: "2026-03-02", date_to: "2026-03-01" }],
  ] as const)
    assert.throws(() => chooseDays(lock, given, NOW), { code: "BAD_REQUEST" }, JSON.stringify(given));
});

const NO_CHART = { chart_type: "table", report: null, query: null, x_axis: null, y_axis: null, group_by: null };

test("a chart is shown where every limit holds for it", () => {
  const chart = (fields: object) => ({ ...NO_CHART, ...fields }) as ChartSpec;
  const sql = chart({ query: "SELECT 1" });
  const dated = chart({ query: "SELECT {{date_from}}, {{date_to}}" });
  const report = chart({ report: "kpis" });
  const lifecycle = chart({ report: "lifecycle" });
  // A funnel has a report of its own, whatever text a client has saved beside it.
  const funnel = chart({ chart_type: "funnel", query: "SELECT 1" });
  const shown = (lock: object) =>
    [sql, dated, report, lifecycle, funnel].map((one) => findShown({ ...PLAIN_LINK, ...lock }, one) !== undefined);
  assert.deepEqual(shown({}), [true, true, true, true, true]);
  assert.deepEqual(shown({ filters: [{}] }), [false, false, true, true, true]);
  assert.deepEqual(shown({ segmentId: "seg_1" }), [false, false, true, true, true]);
  assert.deepEqual(shown({ days: 1 }), [false, true, true, false, true]);
  assert.deepEqual(shown({ dateTo: "2026-01-01" }), [false, true, true, false, true]);
});

test("with a period a chart has no column of other days, and one of nothing else is left out", () => {
  const chart = (fields: object) => ({ ...NO_CHART, chart_type: "bar", report: "breakdown", ...fields }) as ChartSpec;
  const axes = (fields: object, lock: object = { days: 1 }) =>
    findShown({ ...PLAIN_LINK, ...lock }, chart(fields))?.y_axis;
  assert.deepEqual(axes({ y_axis: ["visitors", "visitors_previous"] }), ["visitors"]);
  assert.deepEqual(axes({ y_axis: ["visitors", "visitors_previous"] }, {}), ["visitors", "visitors_previous"]);
  assert.equal(axes({ y_axis: ["visitors_previous"] }), undefined);
  assert.equal(axes({ x_axis: "visitors_previous", y_axis: ["visitors"] }), undefined);
  assert.equal(axes({ report: "kpis", y_axis: ["visitors_current"] }), undefined);
  // About the step before, not the days before.
  assert.deepEqual(axes({ report: "funnel", y_axis: ["conversion_from_previous"] }), ["conversion_from_previous"]);
  // A column of SQL has any name.
  const query = "SELECT {{date_from}}, {{date_to}}";
  assert.deepEqual(axes({ report: null, query, y_axis: ["n_previous"] }), ["n_previous"]);
  const charts = [chart({ y_axis: ["visitors_previous"] }), chart({ report: null, query: "SELECT 1" }), chart({})];
  assert.deepEqual(
    [{}, { days: 1 }, { filters: [{}] }].map((lock) => countLeftOut({ ...PLAIN_LINK, ...lock }, charts)),
    [0, 2, 1],
  );
});

test("conditions of segment and link are asked together, and a period excludes other days", () => {
  const days = { date_from: "2026-02-03", date_to: "2026-02-04" };
  assert.deepEqual(toAsked(PLAIN_LINK, days, []), days);
  assert.deepEqual(toAsked({ ...WINDOW, filters: [2] }, days, [1]), { ...days, filters: "[1,2]", isWithinDays: true });
});
