/** People by what they have done, in the questions that are no reports: reports are compared with the oracle. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { sampled } from "../../src/lib/testing.ts";
import { listActivity, readActivity } from "../../src/query/activity/activity.ts";
import { liveNumbers, readLive } from "../../src/query/live/live.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { listValues, readValues } from "../../src/query/values/values.ts";
import { BLANK_ROW } from "../support/blank-row.ts";
import { BOTH_IN_LONG, type StartedEngine } from "../support/both-engines.ts";
import { askMarch, startReports } from "../support/visits.ts";
import { encodeDeeds } from "./generate-people.ts";
import type { PersonDeed } from "./oracle-people.ts";

const NOW_MS = Date.parse("2026-03-05T12:00:00Z");
const OWNER = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
const SWAP = { event: "Swap", operator: "gte", times: 1 };

type Seen = readonly [visitor: string, at: string, change: Readonly<Record<string, string>>];
const page = (pathname: string, location = "") => ({ type: "page", pathname, location, browser: pathname.slice(1) });
const swap = (token: string) => ({ type: "track", event: "Swap", properties: JSON.stringify({ token }) });
const transaction = (status: string) => ({ type: "transaction", properties: JSON.stringify({ status }) });

/** Dan and Eve share a session: they are two visitors of one client. */
const EVENTS: readonly Seen[] = [
  ["ada", "2026-03-05T11:50:00Z", page("/ada", "DE")],
  ["ada", "2026-03-05T11:51:00Z", swap("ETH")],
  ["ada", "2026-03-01T09:00:00Z", swap("USDC")],
  ["bob", "2026-03-05T11:52:00Z", page("/bob", "US")],
  ["bob", "2026-03-05T11:53:00Z", transaction("started")],
  ["bob", "2026-03-05T11:53:01Z", transaction("broadcasted")],
  ["bob", "2026-03-05T11:53:09Z", transaction("confirmed")],
  ["cyd", "2026-03-05T11:55:00Z", page("/cyd", "DE")],
  ["dan", "2026-03-05T11:56:00Z", { ...page("/dan", "FR"), session_id: "shared" }],
  ["eve", "2026-03-05T11:57:00Z", { ...page("/eve"), session_id: "shared" }],
  ["eve", "2026-02-01T09:00:00Z", swap("ETH")],
  // Yesterday within the last 24 hours, and before them.
  ["cyd", "2026-03-04T12:00:01Z", { type: "connect" }],
  ["bob", "2026-03-04T12:00:00Z", { type: "connect" }],
];

async function store(engine: AnalyticsEngine): Promise<void> {
  const rows = EVENTS.map(([anonymous_id, at, change], nth) => ({
    ...BLANK_ROW,
    ...{ project_id: "p", dedupe_day: at.slice(0, 10), message_id: `m${nth}`, timestamp: Date.parse(at) },
    ...{ anonymous_id, acquisition: "Direct", has_touch: change.type === "page" ? 1 : 0 },
    ...change,
  }));
  await engine.importRows("events", rows);
}

const TABLE: readonly (readonly [about: string, behaviours: readonly PersonDeed[], people: readonly string[]])[] = [
  ["did it", [SWAP], ["ada", "eve"]],
  ["did it twice", [{ ...SWAP, times: 2 }], ["ada"]],
  ["never did it", [{ ...SWAP, operator: "eq", times: 0 }], ["bob", "cyd", "dan"]],
  ["did it not more than once", [{ ...SWAP, operator: "lt", times: 2 }], ["bob", "cyd", "dan", "eve"]],
  ["did it this week", [{ ...SWAP, preset: "last_7d" }], ["ada"]],
  ["did it up to a day", [{ ...SWAP, date_to: "2026-02-28" }], ["eve"]],
  ["did it in the last 24 hours, to the millisecond", [{ ...SWAP, event: "connect", preset: "last_24h" }], ["cyd"]],
  ["did it with a property", [{ ...SWAP, filters: [{ field: "token", op: "eq", value: "USDC" }] }], ["ada"]],
  ["sent one transaction, of which three events tell", [{ ...SWAP, event: "transaction", operator: "eq" }], ["bob"]],
  [
    "started a transaction",
    [{ ...SWAP, event: "transaction", filters: [{ field: "status", op: "eq", value: "started" }] }],
    ["bob"],
  ],
  ["did this and not that", [SWAP, { ...SWAP, operator: "neq", times: 2 }], ["eve"]],
  ["did what nobody does", [{ ...SWAP, event: "swap" }], []],
];

for (const { name, skip, start } of BOTH_IN_LONG) {
  describe(`people on ${name}`, { skip }, () => {
    let started: StartedEngine;
    before(async () => {
      started = await start({ nowMs: () => NOW_MS });
      await store(started.engine);
    });
    after(() => started.stop());

    const { signal } = new AbortController();
    const slots = createQuerySlots({ running: 4, waiting: 0, waitMs: 1 });
    const lookups = () => createRunLookup({ engine: started.engine, clock: { nowMs: () => NOW_MS }, slots });
    const filtersOf = (behaviours: readonly PersonDeed[], ...others: object[]) =>
      JSON.stringify([{ field: "events", op: "eq", value: encodeDeeds(behaviours) }, ...others]);

    test("the activity has the events of people who have or have not done something", async () => {
      // A question takes seconds where ClickHouse is emulated.
      for (const [about, behaviours, people] of name === "DuckDB" ? TABLE : sampled(TABLE, 2)) {
        const read = readActivity({ limit: 50, filters: filtersOf(behaviours), date_from: "2026-03-05" }, NOW_MS);
        assert.ok(read.ok, about);
        const { items } = await lookups()(listActivity(read.value), OWNER, signal);
        const seen = items.map((text) => (JSON.parse(text) as { anonymous_id: string }).anonymous_id);
        assert.deepEqual([...new Set(seen)].sort(), people, about);
      }
    });

    test("the live numbers count them, and the pages that they themselves viewed", async () => {
      const read = readLive({ filters: filtersOf([SWAP]) }, NOW_MS);
      assert.ok(read.ok);
      const { now, top_pages } = await lookups()(liveNumbers(read.value), OWNER, signal);
      assert.deepEqual([now.visitors, now.events], [2, 3]);
      assert.deepEqual(top_pages.map(({ pathname }) => pathname).sort(), ["/ada", "/eve"]);
    });

    test("values are those of their sessions, and of their events, beside other conditions", async () => {
      const values = async (field: string, ...others: object[]) => {
        const read = readValues({ field, limit: 9, filters: filtersOf([SWAP], ...others) }, NOW_MS);
        assert.ok(read.ok);
        const { data } = await lookups()(listValues(read.value), OWNER, signal);
        return Object.fromEntries(data.map(({ value, count }) => [value, count]));
      };
      // The session of Dan and Eve began with Dan.
      assert.deepEqual(await values("location"), { DE: 1, FR: 1 });
      assert.deepEqual(await values("page", { field: "location", op: "eq", value: "FR" }), { "/eve": 1 });
    });

    test("a report of sessions counts the sessions of such people whole", async () => {
      const run = startReports(started.engine, { nowMs: () => NOW_MS });
      const rows = await askMarch(run, "top_locations", { filters: filtersOf([SWAP]), date_from: "2026-03-05" });
      const visitors = (rows as { location: string; visitors: number }[]).map((row) => [row.location, row.visitors]);
      assert.deepEqual(Object.fromEntries(visitors), { DE: 1, FR: 2 });
    });
  });
}
