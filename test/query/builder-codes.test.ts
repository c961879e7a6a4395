/** Builder codes come on transactions, often several on one: each of them counts, in filters, lists and sums. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ReportName } from "../../src/contract/reports.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { ONLY_LONG, sampled } from "../../src/lib/testing.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { listValues, readValues } from "../../src/query/values/values.ts";
import { BLANK_ROW } from "../support/blank-row.ts";
import { startClickhouseEngine } from "../support/clickhouse-engine.ts";
import { startLocalEngine } from "../support/local-engine.ts";
import { whyNoClickHouse } from "../support/platform.ts";
import { askMarch, materializeAll, startReports } from "../support/visits.ts";

const NOW_MS = Date.parse("2026-03-05T12:00:00Z");

/** A page view of each visitor, and a transaction with codes. */
const CODES = { ada: "harbor,tidepool", bob: "tidepool", eve: "", kay: "Harbor,lagoon,lagoon" };

const ALL = ["eq", "neq", "in", "nin", "contains", "startsWith", "endsWith", "notEmpty"];
/** An emulated ClickHouse takes seconds for a statement. */
const ONE = ["notEmpty"];

async function store(engine: AnalyticsEngine): Promise<void> {
  const rows = Object.entries(CODES).flatMap(([anonymous_id, builder_codes], nth) => {
    const day = `2026-03-0${nth + 1}`;
    const common = { ...BLANK_ROW, project_id: "p", dedupe_day: day, anonymous_id, acquisition: "Direct" };
    const atMs = Date.parse(`${day}T12:00:00Z`);
    return [
      { ...common, message_id: `${anonymous_id} page`, timestamp: atMs, type: "page", has_touch: 1, pathname: "/" },
      {
        ...common,
        message_id: `${anonymous_id} sent`,
        timestamp: atMs + 60_000,
        type: "transaction",
        revenue: 10 ** nth,
        volume: 1,
        builder_codes,
      },
    ];
  });
  await engine.importRows("events", rows);
}

const FILTERS: readonly (readonly [op: string, value: string | string[] | undefined, who: string])[] = [
  ["eq", "tidepool", "ada bob"],
  ["eq", "harbor", "ada"],
  ["eq", "harbor,tidepool", ""],
  ["neq", "tidepool", "eve kay"],
  ["in", ["lagoon", "harbor"], "ada kay"],
  ["nin", ["lagoon", "harbor"], "bob eve"],
  ["contains", "OOL", "ada bob"],
  ["contains", "r,t", ""],
  ["startsWith", "har", "ada kay"],
  ["startsWith", "pool", ""],
  ["endsWith", "bor", "ada kay"],
  ["endsWith", "tide", ""],
  ["notEmpty", undefined, "ada bob kay"],
];

async function expectCodes(
  engine: AnalyticsEngine,
  ofSessions: readonly string[],
  asked: typeof FILTERS = FILTERS,
): Promise<void> {
  const run = startReports(engine, { nowMs: () => NOW_MS });
  const names = Object.keys(CODES);
  const ask = (name: ReportName, query: object) => askMarch(run, name, query);
  for (const [op, value, who] of asked) {
    const filters = JSON.stringify([{ field: "builder_codes", op, value }]);
    const about = `${op} ${String(value)}`;
    const chosen = who === "" ? [] : who.split(" ");
    if (ofSessions.includes(op)) {
      const [total] = (await ask("kpis", { filters, interval: "all" })) as { visitors: number; pageviews: number }[];
      // As with other fields of the event, a session is kept by any of its events: a page view has no code.
      const kept = op === "neq" || op === "nin" ? names.length : chosen.length;
      assert.deepEqual([total?.visitors, total?.pageviews], [kept, kept], about);
    }
    const revenue = (await ask("revenue_by_metric", { filters, metric_column: "channel" })) as {
      sum_revenue: number;
    }[];
    const sum = chosen.reduce((all, name) => all + 10 ** names.indexOf(name), 0);
    assert.equal(revenue[0]?.sum_revenue ?? 0, sum, about);
  }
  const sums = (await ask("revenue_by_metric", { metric_column: "builder_codes" })) as Record<string, unknown>[];
  assert.deepEqual(
    sums.map(({ builder_codes, sum_revenue }) => [builder_codes, sum_revenue]),
    [
      ["Harbor", 1000],
      ["lagoon", 1000],
      ["", 100],
      ["tidepool", 11],
      ["harbor", 1],
    ],
  );
  const groups = (await ask("revenue_overview", { group_by: "builder_codes", date_to: "2026-03-04" })) as Record<
    string,
    unknown
  >[];
  const ofTidepool = groups.filter(({ builder_codes, revenue }) => builder_codes === "tidepool" && revenue !== 0);
  assert.deepEqual(
    ofTidepool.map(({ revenue }) => revenue),
    [1, 10],
  );
  const slots = createQuerySlots({ running: 1, waiting: 0, waitMs: 1 });
  const lookUp = createRunLookup({ engine, clock: { nowMs: () => NOW_MS }, slots });
  const read = readValues(
    { field: "builder_codes", date_from: "2026-03-01", date_to: "2026-03-05", limit: 10 },
    NOW_MS,
  );
  assert.ok(read.ok);
  const owner = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
  const { counts, data } = await lookUp(listValues(read.value), owner, new AbortController().signal);
  assert.deepEqual(
    [counts, data.map(({ value, count }) => `${value} ${count}`)],
    ["events", ["tidepool 2", "Harbor 1", "harbor 1", "lagoon 1"]],
  );
}

/** From events and, once it is clean, beside rollups. */
async function follow(engine: AnalyticsEngine): Promise<void> {
  await store(engine);
  await expectCodes(engine, ALL);
  await materializeAll(engine, NOW_MS);
  await expectCodes(engine, ALL);
}

describe("builder codes", () => {
  let local: Awaited<ReturnType<typeof startLocalEngine>>;
  before(async () => {
    local = await startLocalEngine({ nowMs: () => NOW_MS });
  });
  after(() => local.stop());

  test("count one by one in filters, sums and lists, dirty and clean", () => follow(local.engine));

  test("count the same on ClickHouse", { skip: whyNoClickHouse() ?? ONLY_LONG }, async () => {
    const clickhouse = await startClickhouseEngine({ nowMs: () => NOW_MS });
    try {
      await store(clickhouse.engine);
      await expectCodes(clickhouse.engine, ONE, sampled(FILTERS, 4));
    } finally {
      await clickhouse.stop();
    }
  });
});
