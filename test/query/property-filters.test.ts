/** Properties of events as fields of filters and as columns of the breakdown, with names that are hard to quote. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, mock, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { sampled } from "../../src/lib/testing.ts";
import { type ActivityPage, listActivity, readActivity } from "../../src/query/activity/activity.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { INJECTIONS, questionFailures } from "../../src/query/testing.ts";
import { BLANK_ROW } from "../support/blank-row.ts";
import { BOTH_IN_LONG, type StartedEngine } from "../support/both-engines.ts";
import { askMarch, materializeAll, startReports } from "../support/visits.ts";

const NOW_MS = Date.parse("2026-03-05T12:00:00Z");
const ODD_NAMES = ["a.b", "$", "$.pair", "a/b~c", `it's "q" \\ {x:String}`, "[0]", "*", "__proto__", ...INJECTIONS];

/** A page view of each visitor without properties, and a trade with some. */
const TRADES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ada: { pair: "ETH/USDC", size: 12, odd: true },
  bob: { pair: "eth/usdc", size: "0.5" },
  eve: { pair: "BTC/USDC", size: "many", nested: { a: [1] } },
  kay: { size: 12, pair: null },
};

async function store(engine: AnalyticsEngine): Promise<void> {
  const rows = Object.entries(TRADES).flatMap(([anonymous_id, own], nth) => {
    const day = `2026-03-0${nth + 1}`;
    const common = { ...BLANK_ROW, dedupe_day: day, anonymous_id, acquisition: "Direct" };
    const atMs = Date.parse(`${day}T12:00:00Z`);
    const odd = Object.fromEntries(ODD_NAMES.map((name, at) => [name, `odd ${at}`]));
    const properties = JSON.stringify(anonymous_id === "ada" ? { ...own, ...odd } : own);
    const trade = {
      ...common,
      timestamp: atMs + 60_000,
      type: "track",
      event: "Trade",
      revenue: 10 ** nth,
      properties,
    };
    return [
      { ...common, project_id: "p", message_id: `${nth} page`, timestamp: atMs, type: "page", has_touch: 1 },
      { ...trade, project_id: "p", message_id: `${nth} trade` },
      { ...trade, project_id: "another", message_id: `${nth} trade` },
    ];
  });
  const deal = { ...BLANK_ROW, project_id: "p", dedupe_day: "2026-03-01", type: "decoded_log", event: "Deal" };
  const timestamp = Date.parse("2026-03-01T18:00:00Z");
  const deals = DEALS.map((properties, nth) => ({
    ...deal,
    ...{ anonymous_id: `deal ${nth}`, message_id: `deal ${nth}`, timestamp: timestamp + nth, properties },
  }));
  await engine.importRows("events", [...rows, ...deals]);
}

/** As clients wrote them. A column has the name of a property, too. */
const DEALS = [
  String.raw`{"coin":"ETH","wei":12345678901234567890123,"far":1e400,"said":"\"1e400\", 1.0","lots":1.0,"volume":7}`,
  '{"coin":"ETH","lots":1e0,"properties.coin":"nested"}',
  '{"coin":"BTC","lots":"1.0"}',
];

const DEAL_FILTERS: readonly (readonly [filters: readonly object[], deals: readonly number[]])[] = [
  [
    [
      { field: "properties.coin", op: "eq", value: "ETH" },
      { field: "properties.wei", op: "eq", value: "12345678901234567890123" },
      { field: "properties.wei", op: "gt", value: 1e22 },
      { field: "properties.far", op: "eq", value: "1e400" },
      { field: "properties.said", op: "eq", value: '"1e400", 1.0' },
    ],
    [0],
  ],
  [[{ field: "properties.lots", op: "eq", value: 1 }], [0, 1]],
  [[{ field: "properties.lots", op: "eq", value: "1.0" }], [2]],
];

/** The same property in `filters` and in those of a condition; with the prefix it is no column. */
const NESTED: readonly (readonly [filter: object, deals: readonly number[]])[] = [
  [{ field: "coin", op: "eq", value: "ETH" }, [0, 1]],
  [{ field: "properties.coin", op: "eq", value: "ETH" }, [0, 1]],
  [{ field: "properties.volume", op: "gte", value: 7 }, [0]],
  [{ field: "volume", op: "gte", value: 7 }, []],
  [{ field: "properties.properties.coin", op: "eq", value: "nested" }, [1]],
];

const FILTERS: readonly (readonly [name: string, op: string, value: unknown, who: string])[] = [
  ["pair", "eq", "ETH/USDC", "ada"],
  ["pair", "neq", "ETH/USDC", "bob eve kay"],
  ["pair", "in", ["ETH/USDC", "BTC/USDC"], "ada eve"],
  ["pair", "contains", "eth", "ada bob"],
  ["pair", "isEmpty", undefined, "kay"],
  ["size", "gte", 12, "ada kay"],
  ["size", "lt", 12, "bob"],
  ["size", "eq", "many", "eve"],
  ["odd", "eq", true, "ada"],
  ["nested", "eq", '{"a":[1]}', "eve"],
  ["missing", "notEmpty", undefined, ""],
];

const owner = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };

type Rows = readonly Readonly<Record<string, unknown>>[];

function createAsk(engine: AnalyticsEngine) {
  const run = startReports(engine, { nowMs: () => NOW_MS });
  const slots = createQuerySlots({ running: 1, waiting: 0, waitMs: 1 });
  const lookUp = createRunLookup({ engine, clock: { nowMs: () => NOW_MS }, slots });
  return {
    report: async (...[name, query]: [Parameters<typeof askMarch>[1], object]) =>
      (await askMarch(run, name, query)) as Rows,
    async activity(filters: string, type = "track") {
      const items: string[] = [];
      // A page ends after 3 s, which an emulated ClickHouse may take for a part of the window.
      for (let cursor: string | undefined = ""; cursor !== undefined; ) {
        const from = cursor === "" ? {} : { cursor };
        const read = readActivity({ limit: 50, filters, type, date_from: "2026-03-01", ...from }, NOW_MS);
        assert.ok(read.ok);
        const page: ActivityPage = await lookUp(listActivity(read.value), owner, new AbortController().signal);
        items.push(...page.items);
        cursor = page.nextCursor;
      }
      return items.map((text) => (JSON.parse(text) as { anonymous_id: string }).anonymous_id).toSorted();
    },
  };
}

async function expectFilters(engine: AnalyticsEngine, asked = FILTERS): Promise<void> {
  const { report, activity } = createAsk(engine);
  for (const [name, op, value, who] of asked) {
    const filters = JSON.stringify([
      { field: `properties.${name}`, op, value },
      { field: "type", op: "eq", value: "track" },
    ]);
    const chosen = who === "" ? [] : who.split(" ");
    const about = `${name} ${op} ${String(value)}`;
    assert.deepEqual(await activity(filters), chosen, about);
    const [total] = await report("kpis", { filters, interval: "all" });
    // A session with such an event is kept with its page view.
    assert.deepEqual([total?.visitors, total?.pageviews], [chosen.length, chosen.length], about);
    const [sum] = await report("revenue_by_metric", { filters, metric_column: "channel" });
    const names = Object.keys(TRADES);
    assert.equal(
      sum?.sum_revenue ?? 0,
      chosen.reduce((all, one) => all + 10 ** names.indexOf(one), 0),
      about,
    );
  }
}

async function expectBreakdown(engine: AnalyticsEngine): Promise<void> {
  const { report } = createAsk(engine);
  const rows = await report("breakdown", { metric_column: "properties.size", order_by: "revenue" });
  assert.deepEqual(
    rows.map(({ value, hits, visitors, revenue }) => [value, hits, visitors, revenue]),
    [
      ["12", 2, 2, 1001],
      ["many", 1, 1, 100],
      ["0.5", 1, 1, 10],
    ],
  );
}

async function expectDeals(engine: AnalyticsEngine, asked: typeof DEAL_FILTERS): Promise<void> {
  const { activity } = createAsk(engine);
  for (const [filters, deals] of asked) {
    const found = await activity(JSON.stringify(filters), "decoded_log");
    assert.deepEqual(
      found,
      deals.map((nth) => `deal ${nth}`),
      JSON.stringify(filters),
    );
  }
}

/** Every odd name in one statement, because an emulated ClickHouse takes seconds for one. */
async function expectOddNames(engine: AnalyticsEngine): Promise<void> {
  const { activity } = createAsk(engine);
  for (let from = 0; from < ODD_NAMES.length; from += 20) {
    const conditions = ODD_NAMES.slice(from, from + 20).map((name, at) => ({
      field: `properties.${name}`,
      op: "eq",
      value: `odd ${from + at}`,
    }));
    assert.deepEqual(await activity(JSON.stringify(conditions)), ["ada"]);
  }
}

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`properties of events on ${name}`, { skip }, () => {
    let started: StartedEngine;
    before(async () => {
      started = await start({ nowMs: () => NOW_MS });
      await store(started.engine);
    });
    after(() => started.stop());
    // A page of activity ends early after two seconds, and an emulated engine takes that long.
    beforeEach(() => void mock.method(performance, "now", () => 0));
    afterEach(() => mock.restoreAll());

    test("are found under any name, whatever it has to be quoted for", () => expectOddNames(started.engine));

    test("have rows in the breakdown, each event under its own value", () => expectBreakdown(started.engine));

    test("are compared as sent beside a number that is too long for the engine, and numbers by one spelling", () =>
      expectDeals(started.engine, DEAL_FILTERS));

    test("have the same name in `filters` of a condition, with and without the prefix", () => {
      const nested = NESTED.map(([filter, deals]) => {
        const condition = { field: "event", op: "eq", value: "Deal", filters: [filter] };
        return [[condition], deals] as const;
      });
      return expectDeals(started.engine, name === "ClickHouse" ? sampled(nested, 2) : nested);
    });

    test("choose the same events in activity, sums and sessions, from dirty partitions and from clean ones", async () => {
      // An emulated ClickHouse takes 2 s for a report.
      if (name === "ClickHouse") return expectFilters(started.engine, sampled(FILTERS, 3));
      await expectFilters(started.engine);
      // The worker waits for a moment without writes, by the same clock.
      mock.restoreAll();
      await materializeAll(started.engine, NOW_MS);
      await expectFilters(started.engine);
    });
  });

test("a breakdown by an unknown column names the columns, and properties among them", () => {
  for (const metric_column of ["nope", "properties.", `properties.${"k".repeat(257)}`]) {
    const failures = questionFailures("breakdown", { metric_column });
    assert.match(failures["query.metric_column"] ?? "", /^must be one of referrer, .*custom_event, properties\.<name>/);
  }
});
