import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/time.ts";
import { cellsOf, findComb, spansOf } from "../../query/windows/spans.ts";
import { readMetric } from "./read-metric.ts";
import {
  calendarOf,
  closedWindow,
  comparedLabels,
  daysOfWindow,
  nextDueMs,
  skippedWindows,
  type Window,
  windowAt,
} from "./windows.ts";

const KPIS = {
  of: "report",
  report: "kpis",
  value: "visitors",
  window: { value: 1, unit: "hours" },
  condition: { kind: "above", threshold: 100 },
};
const SQL = { of: "sql", query: "SELECT count() FROM events WHERE day BETWEEN {{date_from}} AND {{date_to}}" };
const DAYS = { window: { value: 7, unit: "days" }, condition: { kind: "below", threshold: 1 } };
const without = (body: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

const REFUSED: readonly [string, object, string][] = [
  ["nothing", {}, "of window condition"],
  ["a source that is none", { ...KPIS, of: "tea" }, "of"],
  ["a field that is none", { ...KPIS, tea: 1 }, "tea"],
  ["no report", without(KPIS, "report"), "report"],
  ["a report that is none", { ...KPIS, report: "tea" }, "report"],
  ["no value", without(KPIS, "value"), "value"],
  ["a column that is none", { ...KPIS, value: "date" }, "value"],
  ["no threshold", { ...KPIS, condition: { kind: "above" } }, "condition.threshold"],
  [
    "a field of another condition",
    { ...KPIS, condition: { kind: "above", threshold: 1, score: 3 } },
    "condition.score",
  ],
  ["no percentage", { ...KPIS, condition: { kind: "changed" } }, "condition.percent"],
  ["a window of 7 minutes", { ...KPIS, window: { value: 7, unit: "minutes" } }, "window.value"],
  ["a window of 31 days in hours", { ...KPIS, window: { value: 744, unit: "hours" } }, "window.value"],
  ["every minute", { ...KPIS, every: { value: 1, unit: "minutes" } }, "every.value"],
  ["every 8 days", { ...KPIS, every: { value: 8, unit: "days" } }, "every.value"],
  ["days every hour", { ...KPIS, ...DAYS, every: { value: 1, unit: "hours" } }, "every.unit"],
  ["dates of its own", { ...KPIS, params: { date_from: "2026-01-01" } }, "params.date_from"],
  ["a group in an hour", { ...KPIS, params: { group_by: "device" }, row: { device: "mobile" } }, "params.group_by row"],
  ["a group that is none", { ...KPIS, ...DAYS, params: { group_by: "tea" } }, "params.group_by"],
  ["sources of an hour", { ...KPIS, report: "top_sources" }, "window.unit"],
  ["a report without numbers", { ...KPIS, ...DAYS, report: "retention", value: "user" }, "report"],
  ["no data of sources", { ...KPIS, ...DAYS, report: "top_sources", condition: { kind: "no_data" } }, "condition.kind"],
  [
    "unusual in two weeks",
    { ...KPIS, window: { value: 14, unit: "days" }, condition: { kind: "unusual" } },
    "window.value",
  ],
  ["SQL without a window", { ...DAYS, of: "sql", query: "SELECT 1" }, "query"],
  ["SQL about days in an hour", { ...KPIS, ...SQL, report: undefined, value: undefined }, "window.unit"],
  ["SQL with an open placeholder", { ...DAYS, of: "sql", query: "SELECT {{date_from" }, "query"],
  ["a chart without its id", { ...DAYS, of: "chart" }, "chart_id"],
  ["SQL with a report", { ...DAYS, ...SQL, report: "kpis" }, "report"],
  ["a rate of no data", { ...DAYS, of: "ingest", value: "parked_rate", condition: { kind: "no_data" } }, "value"],
  ["a number that the ledger has not", { ...DAYS, of: "ingest", value: "visitors" }, "value"],
  [
    "a filter on no field",
    { ...KPIS, params: { filters: [{ field: "tea", op: "eq", value: "x" }] } },
    "params.filters.0.field",
  ],
  ["a funnel without steps", { ...KPIS, ...DAYS, report: "funnel", value: "users" }, "params.steps"],
  ["never firing", { ...KPIS, pending: 0 }, "pending"],
];

describe("the definition of a metric alert", () => {
  for (const [name, body, fields] of REFUSED)
    test(`refuses ${name}, and names the field`, () => {
      const read = readMetric(body, "body.metric");
      const failed = read.ok ? [] : [...read.failures.keys()];
      assert.deepEqual(
        failed.toSorted(),
        fields
          .split(" ")
          .map((field) => `body.metric.${field}`)
          .toSorted(),
      );
    });

  test("fills in what is usual, and leaves the given object as it is", () => {
    const given = structuredClone(KPIS);
    const read = readMetric(given, "body.metric");
    assert.ok(read.ok);
    assert.deepEqual(read.value, {
      source: { kind: "figure", name: "visitors", params: {} },
      windowMs: HOUR_MS,
      isInDays: false,
      everyMs: HOUR_MS,
      delayMs: 2 * MINUTE_MS,
      condition: { kind: "above", threshold: 100 },
      pending: 1,
      coolDownMs: 0,
    });
    assert.deepEqual(given, KPIS);
    assert.deepEqual(readMetric(read.body, "x"), read, "what is stored reads the same");
  });

  test("takes kpis of days from the report itself, and the number of events from the windows", () => {
    const days = readMetric({ ...KPIS, ...DAYS }, "m");
    const events = readMetric({ ...KPIS, ...DAYS, value: "events" }, "m");
    assert.deepEqual(days.ok && days.value.source.kind, "report");
    assert.deepEqual(events.ok && events.value.source.kind, "figure");
  });
});

describe("the windows of a metric alert", () => {
  const read = readMetric({ ...KPIS, condition: { kind: "unusual" }, every: { value: 15, unit: "minutes" } }, "m");
  assert.ok(read.ok);
  const metric = read.value;
  const at = (text: string) => Date.parse(`2026-03-11T${text}Z`);

  // Hours are the same in every zone.
  const calendar = calendarOf(metric, "Asia/Tokyo");
  const spanOf = ({ fromMs, toMs }: Window) => ({ fromMs, toMs });

  test("end at a multiple of the schedule, and are closed after the delay", () => {
    const before = closedWindow(metric, calendar, at("12:16:59"));
    assert.deepEqual(spanOf(before), { fromMs: at("11:00:00"), toMs: at("12:00:00") });
    const after = closedWindow(metric, calendar, at("12:17:00"));
    assert.deepEqual(spanOf(after), { fromMs: at("11:15:00"), toMs: at("12:15:00") });
    assert.equal(nextDueMs(metric, calendar, before), at("12:17:00"));
  });

  test("after a time without workers the last one is evaluated, and the others are counted", () => {
    const window = windowAt(metric, calendar, at("12:15:00"));
    const skipped = (lastMs: number | null) => skippedWindows(metric, calendar, lastMs, window).map(spanOf);
    assert.deepEqual(skipped(at("12:00:00")), []);
    assert.deepEqual(skipped(null), []);
    assert.deepEqual(
      skipped(at("11:00:00")),
      ["11:15:00", "11:30:00", "11:45:00", "12:00:00"].map((end) => ({ fromMs: at(end) - HOUR_MS, toMs: at(end) })),
    );
  });

  test("are compared with the same hour of the same weekday", () => {
    const window = windowAt(metric, calendar, at("12:15:00"));
    const compared = comparedLabels(metric, calendar, window.label, 0).map((label) =>
      windowAt(metric, calendar, label),
    );
    const comb = { endMs: at("12:15:00"), widthMs: HOUR_MS, periodMs: 7 * DAY_MS, count: 9 };
    assert.deepEqual([window, ...compared].map(spanOf), spansOf(comb));
    assert.deepEqual(findComb([window, ...compared]), comb);
    const sinceThreeWeeks = comparedLabels(metric, calendar, window.label, at("11:15:00") - 21 * DAY_MS);
    assert.equal(sinceThreeWeeks.length, 3);
  });

  test("of days are days of the zone, of 23 and 25 hours too", () => {
    const given = readMetric(
      { ...KPIS, window: { value: 1, unit: "days" }, condition: { kind: "changed", percent: 1 } },
      "m",
    );
    assert.ok(given.ok);
    const daily = given.value;
    const berlin = calendarOf(daily, "Europe/Berlin");
    // Clocks of Berlin go forward on 2026-03-29 at 01:00Z.
    const found = closedWindow(daily, berlin, Date.parse("2026-03-29T22:02:00Z"));
    assert.deepEqual(
      [found, ...comparedLabels(daily, berlin, found.label, 0).map((label) => windowAt(daily, berlin, label))].map(
        ({ fromMs, toMs }) => [new Date(fromMs).toISOString(), new Date(toMs).toISOString(), (toMs - fromMs) / HOUR_MS],
      ),
      [
        ["2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z", 23],
        ["2026-03-27T23:00:00.000Z", "2026-03-28T23:00:00.000Z", 24],
      ],
    );
    assert.deepEqual(daysOfWindow(berlin, found), { date_from: "2026-03-29", date_to: "2026-03-29" });
    assert.equal(nextDueMs(daily, berlin, found), Date.parse("2026-03-30T22:02:00Z"));
    const before = closedWindow(daily, berlin, Date.parse("2026-03-29T22:01:59Z"));
    assert.deepEqual(daysOfWindow(berlin, before), { date_from: "2026-03-28", date_to: "2026-03-28" });
  });

  test("that are not alike are cells of a grid that they add up to", async () => {
    const spans = [
      { fromMs: 0, toMs: 24 * HOUR_MS },
      { fromMs: 24 * HOUR_MS, toMs: 47 * HOUR_MS },
    ];
    assert.equal(findComb(spans.toReversed()), undefined);
    const { grid, places } = await cellsOf(spans);
    assert.deepEqual(grid, { fromMs: 0, cellMs: HOUR_MS, cells: 47, windowCells: 1 });
    assert.deepEqual(places, [
      { first: 0, last: 23 },
      { first: 24, last: 46 },
    ]);
    const alike = await cellsOf([
      { fromMs: 0, toMs: 4 * HOUR_MS },
      { fromMs: 6 * HOUR_MS, toMs: 10 * HOUR_MS },
    ]);
    assert.deepEqual(alike.grid, { fromMs: 0, cellMs: 2 * HOUR_MS, cells: 5, windowCells: 2 });
    assert.deepEqual(
      alike.places.map(({ last }) => last),
      [1, 4],
    );
  });
});
