import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cohortsOf, countColumns, retentionCurve } from "../../dashboard/src/charts/cohorts.ts";
import { bucketStarts, kpiPoints } from "../../dashboard/src/charts/kpi-points.ts";
import { csvText } from "../../dashboard/src/format/table.ts";
import { uniqueKeys } from "../../dashboard/src/format/unique-keys.ts";
import {
  filtersParameter,
  filterText,
  parseFilter,
  toggleFilter,
  withoutChosen,
} from "../../dashboard/src/state/filters.ts";
import {
  comparableRanges,
  comparedRange,
  defaultInterval,
  moveRange,
  PERIOD_NAMES,
  type PeriodName,
  rangeOf,
} from "../../dashboard/src/state/period.ts";
import { parseSearch, readViewSearch, stringifySearch } from "../../dashboard/src/state/search.ts";
import { parseStep, stepText } from "../../dashboard/src/state/steps.ts";

const TODAY = "2026-03-31";
const range = (from: string, to: string) => ({ from, to });

describe("periods", () => {
  const cases: Partial<Record<PeriodName, [string, string]>> = {
    today: ["2026-03-31", "2026-03-31"],
    yesterday: ["2026-03-30", "2026-03-30"],
    "7d": ["2026-03-25", "2026-03-31"],
    "28d": ["2026-03-04", "2026-03-31"],
    mtd: ["2026-03-01", "2026-03-31"],
    "last-month": ["2026-02-01", "2026-02-28"],
    ytd: ["2026-01-01", "2026-03-31"],
    "12m": ["2025-04-01", "2026-03-31"],
  };
  for (const [period, [from, to]] of Object.entries(cases)) {
    test(`${period} on the last of March is ${from} to ${to}`, () => {
      assert.deepEqual(rangeOf({ period: period as PeriodName }, TODAY), range(from, to));
    });
  }

  test("every period ends today or before, and begins before it ends", () => {
    for (const period of PERIOD_NAMES) {
      const { from, to } = rangeOf({ period }, TODAY);
      assert.ok(from <= to && to <= TODAY, period);
    }
  });

  test("the arrow keys move by whole months or by the length, and never into the future", () => {
    assert.deepEqual(moveRange(range("2026-03-01", "2026-03-31"), -1, TODAY), range("2026-02-01", "2026-02-28"));
    assert.deepEqual(moveRange(range("2026-02-01", "2026-02-28"), 1, TODAY), range("2026-03-01", "2026-03-31"));
    assert.deepEqual(moveRange(range("2026-03-25", "2026-03-31"), -1, TODAY), range("2026-03-18", "2026-03-24"));
    assert.equal(moveRange(range("2026-03-25", "2026-03-31"), 1, TODAY), undefined);
  });

  test("comparisons: directly before, the same weekdays, the year before", () => {
    const shown = range("2026-03-22", "2026-03-31");
    assert.deepEqual(comparedRange(shown, "previous"), range("2026-03-12", "2026-03-21"));
    assert.deepEqual(comparedRange(shown, "weekdays"), range("2026-03-08", "2026-03-17"));
    assert.deepEqual(comparedRange(range("2024-02-29", "2024-02-29"), "year"), range("2023-02-28", "2023-02-28"));
    assert.equal(comparedRange(shown, "off"), undefined);
  });

  test("calendar periods are compared with the calendar: months with months, others with the same days", () => {
    const previous = (shown: ReturnType<typeof range>, period?: PeriodName) =>
      comparedRange(shown, "previous", { period });
    assert.deepEqual(previous(range("2026-10-01", "2026-10-31"), "last-month"), range("2026-09-01", "2026-09-30"));
    assert.deepEqual(previous(range("2026-01-01", "2026-03-31")), range("2025-10-01", "2025-12-31"));
    assert.deepEqual(previous(range("2026-11-01", "2026-11-16"), "mtd"), range("2026-10-01", "2026-10-16"));
    assert.deepEqual(previous(range("2026-03-01", "2026-03-30"), "mtd"), range("2026-02-01", "2026-02-28"));
    assert.deepEqual(previous(range("2026-01-01", "2026-11-16"), "ytd"), range("2025-01-01", "2025-11-16"));
    assert.deepEqual(previous(range("2026-01-01", "2026-01-31"), "ytd"), range("2025-01-01", "2025-01-31"));
    assert.deepEqual(previous(range("2026-11-01", "2026-11-16")), range("2026-10-16", "2026-10-31"));
  });

  test("all time begins with the first event, and is today without any", () => {
    assert.deepEqual(rangeOf({ period: "all" }, TODAY, "2019-05-04"), range("2019-05-04", TODAY));
    assert.deepEqual(rangeOf({ period: "all" }, TODAY, null), range(TODAY, TODAY));
  });

  test("changes compare whole days, and none before the first event", () => {
    const before = range("2026-03-18", "2026-03-24");
    const first = "2026-01-01";
    const week = range("2026-03-25", "2026-03-31");
    assert.deepEqual(comparableRanges(week, before, TODAY, first), {
      range: range("2026-03-25", "2026-03-30"),
      compared: range("2026-03-18", "2026-03-23"),
    });
    assert.deepEqual(comparableRanges(before, range("2026-03-11", "2026-03-17"), TODAY, first), {
      range: before,
      compared: range("2026-03-11", "2026-03-17"),
    });
    assert.equal(comparableRanges(range(TODAY, TODAY), range("2026-03-30", "2026-03-30"), TODAY, first), "today");
    assert.equal(comparableRanges(week, before, TODAY, "2026-03-19"), "before-first-day");
    assert.equal(comparableRanges(week, before, TODAY, null), undefined);
    assert.equal(comparableRanges(week, undefined, TODAY, first), undefined);
  });
});

describe("the URL", () => {
  test("a view survives being written to a link and read from it", () => {
    const view = {
      project: "prj_1",
      period: "custom",
      from: "2026-03-01",
      to: "2026-03-05",
      compare: "custom",
      cfrom: "2026-01-01",
      cto: "2026-01-05",
      f: ["page.eq./a.b?c=d&e", "device.in.desktop|tablet", "ref.isEmpty"],
      interval: "day",
    } as const;
    assert.deepEqual(readViewSearch(parseSearch(stringifySearch(view))), view);
  });

  test("what is wrong in a link is left out, and the rest is shown", () => {
    const given = "?period=never&from=2026-02-30&to=2026-03-01&f=secret.eq.x&f=device.eq.desktop&interval=second&x=1";
    assert.deepEqual(readViewSearch(parseSearch(given)), { f: ["device.eq.desktop"] });
    assert.deepEqual(readViewSearch(parseSearch("?from=2026-03-05&to=2026-03-01")), {});
  });

  test("filters are read back exactly, also with dots and bars in their values", () => {
    for (const text of ["page.eq./v1.2/a|b", "volume.gte.1.5", "event.contains.a.b", "ref.notEmpty"]) {
      const filter = parseFilter(text);
      assert.ok(filter);
      assert.equal(filterText(filter), text);
    }
    for (const text of ["", "page", "page.is./", "page.eq.", "__proto__.eq.x"])
      assert.equal(parseFilter(text), undefined);
  });

  test("filters on properties are read back exactly, whatever their names hold, and compare numbers by size", () => {
    for (const name of ["pair", "a.b", "50%", "%2E", "$.a", 'it\'s "q"', "😀", "eq"]) {
      for (const [op, value] of [
        ["eq", "ETH.USDC"],
        ["in", "a|b"],
        ["gte", "1.5"],
        ["notEmpty", ""],
      ] as const) {
        const filter = { field: `properties.${name}`, op, value };
        assert.deepEqual(parseFilter(filterText(filter)), filter);
      }
    }
    for (const text of ["properties", "properties.", "properties..eq.x", "properties.pair", "properties.pair.is.x"])
      assert.equal(parseFilter(text), undefined, text);
    const field = "properties.size";
    assert.deepEqual(
      JSON.parse(
        filtersParameter([
          { field, op: "gt", value: "12" },
          { field, op: "eq", value: "12" },
          { field, op: "nin", value: "1|2" },
        ]) ?? "",
      ),
      [
        { field, op: "gt", value: 12 },
        { field, op: "eq", value: "12" },
        { field, op: "nin", value: ["1", "2"] },
      ],
    );
  });

  test("steps of funnels are read back exactly", () => {
    for (const text of ["page", "page:/a:b", "track:Swap: done", "transaction"]) {
      const step = parseStep(text);
      assert.ok(step);
      assert.equal(stepText(step), text);
    }
    assert.equal(parseStep("nothing:x"), undefined);
  });
});

describe("a click on a row", () => {
  test("filters by it, widens the filter by a second row, and a third click takes it back", () => {
    const one = toggleFilter([], "device", "desktop", false);
    const two = toggleFilter(one, "device", "tablet", false);
    const back = toggleFilter(two, "device", "desktop", false);
    assert.deepEqual(one, [{ field: "device", op: "eq", value: "desktop" }]);
    assert.deepEqual(two, [{ field: "device", op: "in", value: "desktop|tablet" }]);
    assert.deepEqual(back, [{ field: "device", op: "eq", value: "tablet" }]);
    assert.deepEqual(toggleFilter(back, "device", "tablet", false), []);
    assert.equal(
      filtersParameter([...two, { field: "revenue", op: "gt", value: "5" }]),
      '[{"field":"device","op":"in","value":["desktop","tablet"]},{"field":"revenue","op":"gt","value":5}]',
    );
  });

  test("with shift leaves it out, beside a filter that keeps another", () => {
    const kept = toggleFilter([], "device", "desktop", false);
    assert.deepEqual(toggleFilter(kept, "device", "bot", true)[1], { field: "device", op: "neq", value: "bot" });
  });
});

test("a card leaves out the filters that a click on its rows made, and keeps the others", () => {
  const kept = [
    { field: "channel", op: "neq", value: "Email" },
    { field: "channel", op: "contains", value: "Organic" },
    { field: "device", op: "eq", value: "desktop" },
  ] as const;
  assert.deepEqual(withoutChosen([{ field: "channel", op: "in", value: "Direct|AI" }, ...kept], ["channel"]), kept);
});

test("the curve of retention leaves out weeks that are not over, and ends with the second cohort", () => {
  const shares = (...weeks: (number | null)[]) => [...weeks, null, null];
  const row = {
    metric: [],
    user: [
      ["p", "2026-03-09", 10, ...shares(100, 50, 30, 2)],
      ["p", "2026-03-16", 30, ...shares(100, 10, 1)],
    ],
  };
  // Monday 30 March is the third week after the first cohort, and only its first day is over.
  const cohorts = cohortsOf(row, "2026-03-30");
  assert.deepEqual(
    cohorts.map(({ whole }) => whole),
    [3, 2],
  );
  assert.deepEqual(retentionCurve(cohorts), [
    { share: 1, cohorts: 2, users: 40 },
    { share: 0.2, cohorts: 2, users: 40 },
  ]);
  // Of a single crowd every point is drawn.
  assert.deepEqual(retentionCurve(cohorts.slice(0, 1)), [
    { share: 1, cohorts: 1, users: 10 },
    { share: 0.5, cohorts: 1, users: 10 },
    { share: 0.3, cohorts: 1, users: 10 },
  ]);
  assert.equal(countColumns(cohorts), 4);
});

test("days, weeks and months of a cohort are over with their last day", () => {
  const wholeOf = (start: string, lastDay: string, interval: "day" | "week" | "month") =>
    cohortsOf({ metric: [], user: [["p", start, 1, 100, 50, 50, null]] }, lastDay, interval)[0]?.whole;
  assert.equal(wholeOf("2026-03-30", "2026-03-31", "day"), 2);
  assert.equal(wholeOf("2026-03-30", "2026-04-11", "week"), 1);
  assert.equal(wholeOf("2026-03-30", "2026-04-12", "week"), 2);
  assert.equal(wholeOf("2026-02-01", "2026-02-27", "month"), 0);
  assert.equal(wholeOf("2026-02-01", "2026-03-31", "month"), 2);
});

describe("the headline chart", () => {
  test("has every bucket of the period, and none for the future", () => {
    assert.equal(bucketStarts(range("2026-03-01", "2026-03-02"), "hour").length, 48);
    assert.equal(bucketStarts(range("2026-03-01", "2026-03-31"), "day").length, 31);
    // The first of March 2026 is a Sunday: its week began in February.
    const weeks = bucketStarts(range("2026-03-01", "2026-03-08"), "week");
    assert.deepEqual(
      weeks.map((ms) => new Date(ms).toISOString().slice(0, 10)),
      ["2026-02-23", "2026-03-02"],
    );
    const nowMs = Date.parse("2026-03-02T10:30:00Z");
    const shown = { range: range("2026-03-01", "2026-03-02"), compared: undefined, interval: "hour", nowMs } as const;
    const points = kpiPoints([{ date: "2026-03-02 10:00:00", visitors: 5 }], "visitors", shown);
    assert.deepEqual(
      [points[33]?.value, points[34]?.value, points[34]?.partial, points[35]?.value],
      [0, 5, true, null],
    );
    assert.equal(defaultInterval(range("2026-03-01", "2026-03-01")), "hour");
  });
});

test("CSV has the unit of an amount in its heading, and the plain number below", () => {
  const columns = [
    { key: "revenue", label: "Revenue", format: "amount" },
    { key: "visitors", label: "Visitors", format: "count" },
  ] as const;
  assert.equal(csvText({ columns, rows: [{ revenue: 1.5, visitors: 2 }] }), "Revenue (USD),Visitors\r\n1.5,2\r\n");
});

test("CSV quotes what needs it, and no cell becomes a formula of a spreadsheet", () => {
  const rows = [
    { name: '=HYPERLINK("x")', n: -5 },
    { name: "a,b\nc", n: 0.5 },
    { name: "-12", n: null },
  ];
  const table = { columns: ["name", "n"].map((key) => ({ key, label: key })), rows };
  assert.equal(csvText(table), 'name,n\r\n"\'=HYPERLINK(""x"")",-5\r\n"a,b\nc",0.5\r\n-12,\r\n');
});

test("keys of rows are unique, whatever the rows are called, and a row keeps its key when others leave", () => {
  const names = ["", "a", "", '["a",0]', "a", ""];
  const keys = uniqueKeys(names);
  assert.equal(new Set(keys).size, names.length);
  assert.deepEqual(uniqueKeys(["", '["a",0]']), [keys[0], keys[3]]);
});
