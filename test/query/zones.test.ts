import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";
import { listActivity, readActivity } from "../../src/query/activity/activity.ts";
import { createReports, type Reports } from "../../src/query/run/ask.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createRunReport } from "../../src/query/run/run-report.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { BLANK_ROW } from "../support/blank-row.ts";
import { startLocalEngine } from "../support/local-engine.ts";
import { CHANGES, compareReports, ZONES } from "./compare.ts";

const NEW_YORK = "America/New_York";
const { signal } = new AbortController();

/** On 8 March clocks of New York skip the hour from two to three, on 1 November they repeat the one before two. */
const VIEWS: readonly (readonly [visitor: string, at: string])[] = [
  ["ada", "2026-03-08T04:30:00Z"],
  ["ada", "2026-03-08T05:30:00Z"],
  ["bob", "2026-03-08T06:59:00Z"],
  ["bob", "2026-03-08T07:01:00Z"],
  ["ada", "2026-03-09T03:30:00Z"],
  ["cyd", "2026-11-01T05:30:00Z"],
  ["cyd", "2026-11-01T06:30:00Z"],
];

function ownerIn(...zones: readonly string[]) {
  const projects = zones.map((timezone, nth) => ({
    id: nth === 0 ? "p" : `p${nth}`,
    ...{ excludeBots: false, retentionDays: null, timezone },
  }));
  return { workspaceId: "w", projects };
}

describe("reports in a time zone", () => {
  let local: Awaited<ReturnType<typeof startLocalEngine>>;
  let reports: Reports;
  const clock = { nowMs: () => Date.parse("2026-03-09T02:00:00Z") };
  const slots = createQuerySlots({ running: 1, waiting: 0, waitMs: 1 });

  before(async () => {
    local = await startLocalEngine(clock);
    const rows = VIEWS.map(([anonymous_id, at], nth) => ({
      ...BLANK_ROW,
      ...{ project_id: "p", dedupe_day: at.slice(0, 10), message_id: `m${nth}`, timestamp: Date.parse(at) },
      ...{ anonymous_id, type: "page", acquisition: "Direct", has_touch: 1 },
    }));
    await local.engine.importRows("events", rows);
    const runReport = createRunReport({ engine: local.engine, clock, slots });
    reports = createReports({ runReport, findSegment: async () => [], clock });
  });
  after(() => local.stop());

  const kpis = async (query: Readonly<Record<string, unknown>>, ...zones: readonly string[]) => {
    const { data, timezone } = await reports.ask(ownerIn(...zones), "kpis", query, signal);
    const rows = data.map(({ date, sessions, pageviews, visitors }) => [date, sessions, pageviews, visitors]);
    return { rows, timezone };
  };
  const MARCH = { date_from: "2026-03-07", date_to: "2026-03-09" };
  const IN_NEW_YORK = [
    ["2026-03-07", 1, 1, 1],
    ["2026-03-08", 3, 4, 2],
    ["2026-03-09", 0, 0, 0],
  ];
  const IN_UTC = [
    ["2026-03-07", 0, 0, 0],
    ["2026-03-08", 2, 4, 2],
    ["2026-03-09", 1, 1, 1],
  ];

  test("an event counts on the day of its clocks, and midnight cuts a session", async () => {
    const asked = await kpis({ ...MARCH, timezone: NEW_YORK }, "UTC");
    assert.deepEqual(asked, { rows: IN_NEW_YORK, timezone: NEW_YORK });
  });

  test("the zone is that of the project where none is named, and UTC for projects of several zones", async () => {
    assert.deepEqual(await kpis(MARCH, NEW_YORK), { rows: IN_NEW_YORK, timezone: NEW_YORK });
    assert.deepEqual(await kpis({ ...MARCH, timezone: "UTC" }, NEW_YORK), { rows: IN_UTC, timezone: "UTC" });
    const several = await kpis(MARCH, NEW_YORK, "Asia/Kolkata");
    assert.equal(several.timezone, "UTC");
    assert.deepEqual(
      several.rows.filter((_, nth) => nth % 2 === 0),
      IN_UTC,
    );
  });

  test("today is that of the zone", async () => {
    assert.equal((await kpis({}, NEW_YORK)).rows.at(-1)?.[0], "2026-03-08");
    assert.equal((await kpis({}, "UTC")).rows.at(-1)?.[0], "2026-03-09");
  });

  test("a day has 24 hours of its clocks: a skipped one is empty, and a repeated one holds both", async () => {
    const viewsOf = async (day: string) => {
      const { rows } = await kpis({ date_from: day, date_to: day, interval: "hour" }, NEW_YORK);
      assert.equal(rows.length, 24);
      return rows.filter(([, , views]) => views !== 0).map(([date, , views]) => [date, views]);
    };
    assert.deepEqual(await viewsOf("2026-03-08"), [
      ["2026-03-08 00:00:00", 1],
      ["2026-03-08 01:00:00", 1],
      ["2026-03-08 03:00:00", 1],
      ["2026-03-08 23:00:00", 1],
    ]);
    assert.deepEqual(await viewsOf("2026-11-01"), [["2026-11-01 01:00:00", 2]]);
  });

  test("the list of events has those of the zone's days", async () => {
    const run = createRunLookup({ engine: local.engine, clock, slots });
    const query = { date_from: "2026-03-08", date_to: "2026-03-08", limit: 10 };
    const read = readActivity(query, clock.nowMs(), { zone: NEW_YORK });
    assert.ok(read.ok);
    const { items } = await run(listActivity(read.value), ownerIn(NEW_YORK), signal);
    assert.equal(items.length, 4);
  });

  test("a name that is none is refused", async () => {
    for (const timezone of ["+01:00", "Mars/Olympus"])
      await assert.rejects(kpis({ timezone }, "UTC"), { code: "INVALID_VALIDATION_REQUEST" });
  });
});

/** In a long run all 21. */
const SOME_STATES = ["dirty", "clean in part", "with late events of all days", "removed, clean"];
const PER_STATE = IS_LONG ? 8 : 2;
const QUERIES = (IS_LONG ? 21 : SOME_STATES.length) * PER_STATE;

test(`reports in zones are those of the definition around changes of clocks: ${QUERIES} queries`, {
  timeout: 900_000,
}, async () => {
  const nth = SEED % CHANGES.length;
  const options = {
    zones: ZONES.slice(1),
    calendars: CHANGES.slice(nth, nth + 1),
    ...(IS_LONG ? {} : { states: SOME_STATES }),
  };
  const asked = { seed: SEED, queries: QUERIES, queriesPerState: PER_STATE, eventsPerSet: 200 };
  assert.equal(await compareReports({ ...asked, ...options }), QUERIES);
});
