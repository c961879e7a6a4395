import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, test } from "node:test";
import { COHORTS_KIND, CURVE_KIND } from "../../dashboard/src/charts/kinds/cohorts.ts";
import { CONVERSIONS_KIND } from "../../dashboard/src/charts/kinds/conversions.ts";
import { FLOW_KIND } from "../../dashboard/src/charts/kinds/flow.ts";
import { FUNNEL_KIND } from "../../dashboard/src/charts/kinds/funnel.ts";
import { FUNNEL_GROUPS_KIND } from "../../dashboard/src/charts/kinds/funnel-groups.ts";
import { HOURS_KIND } from "../../dashboard/src/charts/kinds/hours.ts";
import { type ChartKind, VIEW_PARAMETERS } from "../../dashboard/src/charts/kinds/kind.ts";
import { MINUTES_KIND } from "../../dashboard/src/charts/kinds/minutes.ts";
import { MOVERS_KIND } from "../../dashboard/src/charts/kinds/movers.ts";
import { OUTCOMES_KIND } from "../../dashboard/src/charts/kinds/outcomes.ts";
import { MAP_KIND, RANKED_KIND } from "../../dashboard/src/charts/kinds/ranked.ts";
import { TREND_KIND } from "../../dashboard/src/charts/kinds/trend.ts";
import { csvText } from "../../dashboard/src/format/table.ts";
import { chartRequest, joinAsked } from "../../dashboard/src/panels/chart-request.ts";

const CHARTS = resolve(import.meta.dirname, "../../dashboard/src/charts");
/** As text: it imports components, which Node cannot read. */
const REGISTRY = readFileSync(resolve(CHARTS, "registry.ts"), "utf8");
const LISTED = [...REGISTRY.matchAll(/^ {2}(\w+): \{ \.\.\.(\w+), Chart: \w+ \},$/gm)].map(
  ([, type = "", kind = ""]) => ({ type, kind }),
);
const EXPORTED = new Map<string, ChartKind<unknown, unknown, unknown>>();
for (const file of readdirSync(resolve(CHARTS, "kinds")))
  for (const [name, value] of Object.entries((await import(resolve(CHARTS, "kinds", file))) as object))
    if (name.endsWith("_KIND")) EXPORTED.set(name, value);
/** The live page and the ledger ask for a project alone. */
const OF_PROJECT = ["MINUTES_KIND", "OUTCOMES_KIND"];
const VIEW = {
  query: {
    project_id: "p",
    bots: "include",
    imported: "false",
    filters: "[]",
    segment: "seg_1",
    date_from: "2026-11-01",
    date_to: "2026-11-07",
  },
  compared: { from: "2026-10-25", to: "2026-10-31" },
  interval: "day",
} as const;
const context = <Look>(look: Look, asked: Record<string, string> = {}) => ({
  look,
  asked: { date_from: "2026-11-01", date_to: "2026-11-07", ...asked },
  today: "2026-11-17",
  nowMs: Date.parse("2026-11-17T12:00:00Z"),
  firstDay: "2026-01-01",
});

describe("charts", () => {
  test("the registry has a component for each kind, under its name", () => {
    assert.deepEqual(LISTED.map(({ kind }) => kind).sort(), [...EXPORTED.keys()].sort());
    for (const { type, kind } of LISTED) assert.equal(kind, `${type.toUpperCase()}_KIND`);
  });

  test("pages draw reports through the registry: none imports a chart's component, a panel or a map", () => {
    const sources = resolve(import.meta.dirname, "../../dashboard/src");
    const files = readdirSync(resolve(sources, "pages"), { recursive: true, encoding: "utf8" });
    const imports = files
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => {
        const text = readFileSync(resolve(sources, "pages", file), "utf8");
        const found = text.matchAll(/^import (?!type )([^;]*?) from "([^"]+)"/gm);
        return [...found].map(([, names, from]) => `${file}: ${names} ${from?.replaceAll("../", "")}`);
      });
    assert.ok(
      imports.some((line) => line.endsWith("panels/report-panel.tsx")),
      "the scan finds imports",
    );
    const drawn = imports.filter((line) => / (charts\/.*\.tsx|map\/.*)$|\bPanel\b.* ui\/panel\.tsx$/.test(line));
    // The small curve beside a number is part of the number, and has neither a table nor a request of its own.
    assert.deepEqual(
      drawn.filter((line) => !line.endsWith("charts/sparkline.tsx")),
      [],
    );
  });

  test("every chart asks for the project, the filters, the segment, the bots and the imported days of the page", () => {
    for (const [name, kind] of EXPORTED) {
      if (OF_PROJECT.includes(name)) continue;
      const { path, query } = chartRequest(kind, { report: "some", params: { limit: 3 } }, VIEW);
      assert.equal(path, "/v0/some");
      assert.ok(query, name);
      for (const [parameter, value] of Object.entries(query))
        if (parameter !== "limit") assert.ok(VIEW_PARAMETERS.some((known) => known === parameter) && value, parameter);
      const { project_id, filters, segment, bots, limit } = query;
      assert.deepEqual([project_id, filters, segment, bots, limit], ["p", "[]", "seg_1", "include", 3], name);
      // Cohorts need single visitors: days of another product have none.
      assert.equal(query.imported, name === "COHORTS_KIND" ? undefined : "false", name);
    }
  });

  test("a chart of parts of the period answers for all of its days", () => {
    const asked = { project_id: "p", date_from: "2026-11-01", date_to: "2026-11-30" };
    const parts = CONVERSIONS_KIND.parts?.(asked) ?? [];
    assert.ok(parts.length > 2);
    assert.deepEqual(joinAsked(parts.map((part) => ({ asked: { ...asked, ...part } }))), asked);
    assert.equal(joinAsked([]), undefined);
  });

  test("a trend compares, cohorts go back from the end of the period, others have the period alone", () => {
    const asked = (kind: { needs: (typeof TREND_KIND)["needs"] }) => {
      const { query } = chartRequest(kind, { report: "some" }, VIEW);
      return Object.keys(query).filter(
        (name) => !["project_id", "filters", "segment", "bots", "imported"].includes(name),
      );
    };
    assert.deepEqual(asked(TREND_KIND), ["date_from", "date_to", "compare_from", "compare_to", "interval"]);
    assert.deepEqual(asked(COHORTS_KIND), ["date_to"]);
    assert.deepEqual(asked(HOURS_KIND), ["date_from", "date_to"]);
  });

  test("hours: each hour of each weekday is drawn, and the table has the rows of the report", () => {
    const rows = [{ weekday: 2, hour: 13, sessions: 5 }];
    const { rows: lines, columns } = HOURS_KIND.drawing(rows, context({}));
    assert.deepEqual([lines.length, columns.length], [7, 24]);
    assert.equal(lines[1]?.values[13], 5);
    assert.equal(
      lines.flatMap(({ values }) => values).reduce((sum, value) => sum + value, 0),
      5,
    );
    assert.match(csvText(HOURS_KIND.table(rows, context({}))), /Day,Hour,Sessions\r\n\w+,13,5\r\n/);
    assert.ok(HOURS_KIND.isEmpty([], context({})));
    assert.ok(!HOURS_KIND.isEmpty(rows, context({})));
  });

  test("trend: points and table are of the days that were asked for, with the comparison only where there is one", () => {
    const rows = [{ date: "2026-11-02", visitors: 4, bucket_visitors_previous: 3 }];
    const compared = context(
      { measure: "visitors" as const },
      { compare_from: "2026-10-25", compare_to: "2026-10-31" },
    );
    const { points } = TREND_KIND.drawing(rows, compared);
    assert.deepEqual([points.length, points[1]?.value, points[1]?.previous], [7, 4, 3]);
    assert.equal(TREND_KIND.table(rows, compared).columns.length, 4);
    assert.equal(TREND_KIND.table(rows, context({ measure: "visitors" as const })).columns.length, 2);
  });

  test("cohorts: the drawing has the newest lines, the table has all", () => {
    const user = ["2026-09-28", "2026-10-05", "2026-10-12"].map((day) => ["p", day, 10, 100, 50]);
    const rows = [{ metric: [], user }];
    const look = context({ most: 2 });
    assert.deepEqual(
      COHORTS_KIND.drawing(rows, look).cohorts.map(({ start }) => start),
      ["2026-10-05", "2026-10-12"],
    );
    assert.equal(COHORTS_KIND.table(rows, look).rows.length, 3);
    assert.ok(COHORTS_KIND.isEmpty([], look));
  });

  test("funnel: the steps have the names of the look, or those of the events", () => {
    const row = {
      step: 1,
      event: "page",
      users: 9,
      conversion_from_start: 1,
      conversion_from_previous: null,
      median_seconds_from_previous: null,
      median_seconds_from_start: null,
    };
    const rows = [row, { ...row, step: 2, event: "connect", users: 3 }];
    const labels = FUNNEL_KIND.drawing(rows, context({ labels: ["Visit"] })).steps.map(({ label }) => label);
    assert.deepEqual(labels, ["Visit", "connect"]);
    assert.ok(FUNNEL_KIND.isEmpty([{ ...row, users: 0 }], context({})));
  });

  test("groups of a funnel: a line for each value, whose shares are of the step that the look names", () => {
    const row = { median_seconds_from_previous: null, median_seconds_from_start: null };
    const rows = [
      { ...row, step: 1, event: "page", users: 8, conversion_from_start: 1, conversion_from_previous: null },
      { ...row, step: 2, event: "connect", users: 4, conversion_from_start: 0.5, conversion_from_previous: 0.25 },
    ].map((one) => ({ ...one, breakdown: "mobile" }));
    const look = { group: "device", label: "Device", steps: ["Visit", "Connect"], of: "before" as const };
    const { groups } = FUNNEL_GROUPS_KIND.drawing(rows, context(look));
    assert.deepEqual(groups, [
      {
        value: "mobile",
        name: "Mobile",
        steps: [
          { users: 8, share: null },
          { users: 4, share: 0.25 },
        ],
      },
    ]);
    assert.match(csvText(FUNNEL_GROUPS_KIND.table(rows, context(look))), /^Device,Step,.*\r\nMobile,1,8,1,\r\n/);
  });

  test("conversions: at most eight parts cover the period once, and each point has the days it was asked for", () => {
    for (const days of [1, 2, 7, 8, 9, 28, 90]) {
      const last = new Date(Date.UTC(2026, 0, days)).toISOString().slice(0, 10);
      const parts = CONVERSIONS_KIND.parts?.({ date_from: "2026-01-01", date_to: last }) ?? [];
      assert.ok(parts.length <= 8 && parts.length > 0, `${days} days`);
      assert.deepEqual([parts[0]?.date_from, parts.at(-1)?.date_to], ["2026-01-01", last]);
      for (const [index, part] of parts.entries()) {
        assert.ok(String(part.date_from) <= String(part.date_to));
        const before = parts[index - 1];
        if (before) assert.equal(Date.parse(String(part.date_from)) - Date.parse(String(before.date_to)), 86_400_000);
      }
    }
    const row = { step: 2, event: "connect", users: 1, conversion_from_start: 0.5, conversion_from_previous: 0.5 };
    const rest = { median_seconds_from_previous: null, median_seconds_from_start: null };
    const rows = [
      { asked: { date_from: "2026-11-16", date_to: "2026-11-16" }, rows: [{ ...row, ...rest }] },
      { asked: { date_from: "2026-11-17", date_to: "2026-11-17" }, rows: [] },
    ];
    const { points } = CONVERSIONS_KIND.drawing(rows, context({}));
    assert.deepEqual(
      points.map(({ value, start, partial }) => [value, start, partial]),
      [
        [0.5, "2026-11-16", false],
        [null, "2026-11-17", true],
      ],
    );
    assert.equal(CONVERSIONS_KIND.table(rows, context({})).rows.length, 2);
    assert.ok(CONVERSIONS_KIND.isEmpty(rows.slice(1), context({})));
  });

  test("movers: what grew and what fell, the largest differences first, in one table from most to least", () => {
    const look = {
      column: "channel",
      name: "Channels",
      measure: "sessions",
      label: "Sessions",
      format: "count" as const,
    };
    const part = (...rows: [channel: string, sessions: number, sessions_previous: number][]) => ({
      asked: {},
      rows: rows.map(([channel, sessions, sessions_previous]) => ({ channel, sessions, sessions_previous })),
    });
    // Each list was cut by its own order: the first has the largest difference, the second the smallest.
    const rows = [part(["Direct", 9, 4], ["Email", 5, 4]), part(["Paid", 1, 9], ["Social", 2, 3], ["Email", 5, 4])];
    const { up, down } = MOVERS_KIND.drawing(rows, context(look));
    const short = (list: typeof up) => list.map(({ name, difference }) => [name, difference]);
    assert.deepEqual(short(up), [
      ["Direct", 5],
      ["Email", 1],
    ]);
    assert.deepEqual(short(down), [
      ["Paid", -8],
      ["Social", -1],
    ]);
    const table = csvText(MOVERS_KIND.table(rows, context(look)));
    assert.deepEqual(
      table
        .trim()
        .split("\r\n")
        .map((line) => line.split(",").at(-1)),
      ["Difference", "5", "1", "-1", "-8"],
    );
    assert.ok(MOVERS_KIND.isEmpty([part(["Direct", 4, 4]), part()], context(look)));
  });

  test("ranked: names of values, the largest first, those without a number last, and what a click filters by", () => {
    const look = { column: "location", filter: "location", name: "Countries", measure: "visitors", label: "Visitors" };
    const rows = [
      { location: "", visitors: null },
      { location: "PT", visitors: 2 },
      { location: "DE", visitors: 3 },
    ];
    const shown = context({ ...look, format: "count" as const });
    assert.deepEqual(
      RANKED_KIND.drawing(rows, shown).rows.map(({ name, value, filter }) => [name, value, filter?.value]),
      [
        ["Germany", 3, "DE"],
        ["Portugal", 2, "PT"],
        ["Unknown", null, ""],
      ],
    );
    assert.equal(
      csvText(RANKED_KIND.table(rows, shown)),
      "Countries,Visitors\r\nGermany,3\r\nPortugal,2\r\nUnknown,\r\n",
    );
    assert.equal(MAP_KIND.drawing(rows, shown).values.get("DE"), 3);
  });

  test("curve: the share of the cohorts that are old enough, and nothing where only one period is over", () => {
    const rows = [
      { metric: [], user: [["p", "2026-10-26", 10, 100, 50] as const, ["p", "2026-11-02", 10, 100, 30] as const] },
    ];
    const look = context({ noun: "visitors", label: "Visitors", sinceFirstDay: true }, { date_to: "2026-11-16" });
    const { points } = CURVE_KIND.drawing(rows, look);
    assert.deepEqual(
      points.map(({ value, note }) => [value, note]),
      [
        [1, "2 cohorts, 20 visitors"],
        [0.4, "2 cohorts, 20 visitors"],
      ],
    );
    assert.ok(CURVE_KIND.isEmpty([{ metric: [], user: [["p", "2026-11-09", 10, 100]] }], look));
    assert.ok(
      COHORTS_KIND.isEmpty(rows, { ...look, firstDay: "2026-11-16" }),
      "before the first event there is nobody",
    );
  });

  test("flow, minutes and outcomes: the table has the rows of the answer with the names of the screen", () => {
    const flow = [{ step: 1, source: "/swap", target: "", transitions: 3, percentage: 100 }];
    assert.match(csvText(FLOW_KIND.table(flow, context({}))), /1,\/swap,Left,3,100/);
    assert.ok(FLOW_KIND.isEmpty(flow, context({})));
    const minutes = [1, 2].map((events) => ({
      minute: `2026-11-17T12:0${events}:00Z`,
      visitors: 1,
      page_views: 1,
      events,
      wallets: 0,
    }));
    const { points } = MINUTES_KIND.drawing(minutes, context({ measure: "events" as const }));
    assert.deepEqual(
      points.map(({ value, axis, partial }) => [value, axis, partial]),
      [
        [1, "−1 min", false],
        [2, "−0 min", true],
      ],
    );
    const series = [{ at: "2026-11-17T12:00:00Z", received: 4, stored: 1, duplicate: 1, parked: 1, refused: 1 }];
    assert.equal(
      csvText(OUTCOMES_KIND.table(series, context({}))),
      "From,received,stored,duplicate,parked,refused\r\n2026-11-17T12:00:00Z,4,1,1,1,1\r\n",
    );
  });
});
