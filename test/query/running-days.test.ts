import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine, JsonAnswer } from "../../src/engines/analytics.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY_MS, dayOf } from "../../src/lib/time.ts";
import type { ReportName } from "../../src/query/reports.ts";
import { buildDay } from "../../src/warehouse/build-day.ts";
import { createDayBook } from "../../src/warehouse/day-book.ts";
import { rebuildDerived } from "../../src/warehouse/rebuild.ts";
import { buildRunningDays, type RunningOptions } from "../../src/warehouse/running-days.ts";
import { sweepBuilds } from "../../src/warehouse/sweep-builds.ts";
import { freshReports } from "../support/visits.ts";
import { selectNumber, startTestWarehouse, type TestWarehouse } from "../support/warehouse.ts";

const LAST_MS = Number.MAX_SAFE_INTEGER;
/** Noon of a day that the engine takes for today or yesterday, whichever runs with `runningS`. */
const TODAY = dayOf(Date.now());
const NOON_MS = Date.parse(TODAY) + DAY_MS / 2;
const CUT_MS = NOON_MS + 3_600_000;

interface Sent {
  id: string;
  visitor: string;
  session?: string;
  referrer?: string;
  chain?: string;
  atMs?: number;
  receivedMs?: number;
  /** Under the key of another day, as of a clock that is wrong by hours. */
  keyDay?: string;
}

describe("a day that runs", () => {
  let warehouse: TestWarehouse;
  let engine: AnalyticsEngine;
  before(async () => {
    warehouse = await startTestWarehouse();
    engine = warehouse.engine;
  });
  after(() => warehouse.stop());

  /** As the writer stores it; `late` as one whose log is behind does, `atMidnight` as one to which all of the days still run. */
  async function store(project: string, sent: readonly Sent[], how?: "late" | "atMidnight"): Promise<void> {
    const rows = sent.map(
      ({ id, visitor, session = "", referrer = "", chain = "", atMs = NOON_MS, receivedMs = atMs, keyDay }) => ({
        ...{
          project_id: project,
          day: keyDay ?? dayOf(atMs),
          message_id: id,
          timestamp: atMs,
          first: LAST_MS - receivedMs,
        },
        ...{ type: "page", anonymous_id: visitor, session_id: session, referrer, has_touch: 1, acquisition: "Direct" },
        chain_id: chain,
      }),
    );
    const days = rows.map(({ project_id, day, timestamp }) => ({ project_id, day: dayOf(timestamp), key_day: day }));
    const clock = how === "atMidnight" ? { nowMs: () => NOON_MS - DAY_MS } : systemClock;
    await createDayBook(engine, clock).open(days, how === "late" ? clock.nowMs() - 61_000 : clock.nowMs());
    await engine.insert({ table: "events", body: Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n")) });
  }

  const build = (options: RunningOptions = {}) =>
    buildRunningDays(engine, { settleS: 0, runningS: 2 * 86_400, receivedUntilMs: CUT_MS, leastEvents: 1, ...options });

  async function ask(
    project: string,
    { name = "top_sources" as ReportName, from = dayOf(NOON_MS - 7 * DAY_MS), others = [] as string[] } = {},
  ): Promise<unknown[]> {
    const projects = [project, ...others].map((id) => ({ id, excludeBots: false, retentionDays: null }));
    const scope = { workspaceId: "w", projects };
    const query = { date_from: from, date_to: TODAY, limit: 50, offset: 0 };
    const { body } = await freshReports(engine)(name, scope, query, new AbortController().signal);
    return (JSON.parse(await text(body)) as { data: unknown[] }).data;
  }

  const row = (project_id: string, referrer: string, hits: number, sessions: number, visitors: number) => ({
    ...{ project_id, referrer, hits, sessions, visitors },
  });

  const stateOf = async (project: string) => {
    const sql = `SELECT is_open, cut > 0 AS is_running FROM project_days(projects = ['${project}']) WHERE day = '${TODAY}'`;
    return (await engine.selectJson<{ is_open: 0 | 1; is_running: 0 | 1 }>(sql)).data[0];
  };

  test("what comes after the build is added to the sessions it belongs to, and a later copy counts for nothing", async () => {
    await store("on", [
      { id: "1", visitor: "ada", referrer: "a.example" },
      { id: "2", visitor: "bob", referrer: "b.example" },
    ]);
    assert.equal(await build(), 1);
    assert.deepEqual(await stateOf("on"), { is_open: 0, is_running: 1 });
    const atMs = CUT_MS + 1000;
    await store("on", [
      { id: "3", visitor: "ada", referrer: "c.example", atMs },
      { id: "2", visitor: "eve", referrer: "b.example", atMs: NOON_MS, receivedMs: atMs },
      { id: "4", visitor: "eve", referrer: "b.example", atMs },
    ]);
    assert.deepEqual(
      await stateOf("on"),
      { is_open: 0, is_running: 1 },
      "what comes in time leaves the build standing",
    );
    assert.deepEqual(await ask("on"), [row("on", "b.example", 2, 2, 2), row("on", "a.example", 2, 1, 1)]);
  });

  test("a session whose first touch comes late takes all of its visitors along, also those who came before under that source", async () => {
    await store("moves", [
      { id: "0", visitor: "ada", referrer: "a.example", atMs: NOON_MS - DAY_MS },
      { id: "1", visitor: "ada", session: "s", referrer: "b.example" },
    ]);
    assert.equal(await build(), 2);
    await store("moves", [
      { id: "2", visitor: "bob", session: "s", referrer: "a.example", atMs: NOON_MS - 1, receivedMs: CUT_MS + 1 },
    ]);
    assert.deepEqual(await ask("moves"), [row("moves", "a.example", 3, 2, 2)]);
  });

  test("an event that is stored late opens the day, and the next build has it", async () => {
    await store("late", [{ id: "1", visitor: "ada", referrer: "a.example" }]);
    await build();
    await store("late", [{ id: "2", visitor: "bob", referrer: "a.example", receivedMs: CUT_MS - 1 }], "late");
    assert.deepEqual(await stateOf("late"), { is_open: 1, is_running: 1 });
    assert.deepEqual(await ask("late"), [row("late", "a.example", 2, 2, 2)]);
    await engine.selectJson("SELECT sleep(0.01)");
    await build();
    assert.deepEqual(await stateOf("late"), { is_open: 0, is_running: 1 });
    assert.deepEqual(await ask("late"), [row("late", "a.example", 2, 2, 2)]);
  });

  test("an event under the key of another day counts once, whichever of the two days was built last", async () => {
    const [midnightMs, keyDay] = [Date.parse(TODAY), TODAY];
    const ofYesterday = { id: "1", visitor: "ada", referrer: "a.example", atMs: midnightMs - 7_200_000, keyDay };
    await store("keys", [ofYesterday, { ...ofYesterday, id: "2", atMs: midnightMs }], "atMidnight");
    await build({ receivedUntilMs: midnightMs - 3_600_000 });
    await store("keys", [{ ...ofYesterday, id: "3", atMs: midnightMs - 60_000 }], "atMidnight");
    // Yesterday got too few events to be built again.
    const days = [{ project_id: "keys", day: TODAY, key_days: [TODAY] }];
    await buildDay(engine, { day: TODAY, projects: days, startedMs: systemClock.nowMs(), cut: LAST_MS - midnightMs });
    assert.deepEqual(await stateOf("keys"), { is_open: 0, is_running: 1 });
    assert.deepEqual(await ask("keys"), [row("keys", "a.example", 3, 2, 1)]);
  });

  test("a copy under the key of the day counts for nothing, also where the day had nothing under it when it was built", async () => {
    // Merged, the copy would be gone.
    await engine.command("SYSTEM STOP MERGES events");
    const first = {
      id: "1",
      visitor: "ada",
      referrer: "a.example",
      atMs: NOON_MS - DAY_MS,
      receivedMs: NOON_MS,
      keyDay: TODAY,
    };
    const other = { id: "2", visitor: "bob", referrer: "a.example", keyDay: dayOf(NOON_MS - DAY_MS) };
    await store("copy", [first, other], "atMidnight");
    await build();
    await store("copy", [{ ...first, atMs: NOON_MS, receivedMs: CUT_MS + 1 }]);
    assert.deepEqual(await ask("copy"), [row("copy", "a.example", 2, 2, 2)]);
    await engine.command("SYSTEM START MERGES events");
  });

  for (const [what, runningS] of [
    ["runs, too", 2 * 86_400],
    ["is over", 0],
  ] as const) {
    test(`a later copy of a message that came first on the day before counts for nothing, where that day ${what}`, async () => {
      await engine.command("SYSTEM STOP MERGES events");
      const project = `before ${runningS}`;
      await store(project, [{ id: "0", visitor: "bob", referrer: "b.example" }]);
      await build({ runningS });
      const moved = { id: "1", visitor: "ada", referrer: "a.example", keyDay: TODAY };
      await store(project, [{ ...moved, atMs: NOON_MS - DAY_MS, receivedMs: CUT_MS + 1 }]);
      await store(project, [{ ...moved, atMs: NOON_MS, receivedMs: CUT_MS + 2 }]);
      const [first, today] = [row(project, "a.example", 1, 1, 1), row(project, "b.example", 1, 1, 1)];
      assert.deepEqual(await stateOf(project), { is_open: 0, is_running: 1 });
      assert.deepEqual(await ask(project), [first, today]);
      assert.deepEqual(await ask(project, { from: TODAY }), [today]);
      await engine.command("SYSTEM START MERGES events");
    });
  }

  test("a session that two projects share counts under a chain in both, whichever of them had it first", async () => {
    const one = { visitor: "ada", session: "shared", chain: "1" };
    await store("first", [{ id: "1", ...one }]);
    await store("second", [{ id: "2", visitor: "bob", chain: "10" }]);
    await build();
    const atMs = CUT_MS + 1;
    await store("first", [{ id: "3", visitor: "eve", chain: "10", atMs }]);
    await store("second", [{ id: "4", ...one, atMs }]);
    const rows = (await ask("first", { name: "top_chains", others: ["second"] })) as { project_id: string }[];
    const counts = { sessions: 1, visitors: 1 };
    assert.deepEqual(
      rows.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
      ["first", "second"].flatMap((project_id) => ["1", "10"].map((chain_id) => ({ project_id, chain_id, ...counts }))),
    );
  });

  test("it is built up to four and a half minutes ago, when it has enough new events and nobody named it just now", async () => {
    const sent = (id: string, secondsAgo: number) => ({
      ...{ id, visitor: id, receivedMs: systemClock.nowMs() - secondsAgo * 1000 },
    });
    await store("few", [sent("old", 300), sent("new", 200)]);
    await store("named", [sent("late", 300)], "late");
    const real = { runningS: 2 * 86_400 };
    await buildRunningDays(engine, real);
    assert.deepEqual(await stateOf("few"), { is_open: 1, is_running: 0 }, "one event is not worth it");
    await buildRunningDays(engine, { ...real, leastEvents: 1 });
    assert.deepEqual(await stateOf("named"), { is_open: 1, is_running: 0 }, "its event may still be on its way");
    assert.deepEqual(await stateOf("few"), { is_open: 0, is_running: 1 });
    assert.equal(await selectNumber(engine, "SELECT count() AS n FROM visits WHERE project_id = 'few'"), 1);
    assert.deepEqual(await ask("few"), [row("few", "Direct", 2, 2, 2)]);
  });

  test("replaced builds are dropped after three quarters of an hour, those that count never", async () => {
    await store("swept", [{ id: "1", visitor: "ada", referrer: "a.example" }]);
    await build();
    const count = (table: string) =>
      selectNumber(engine, `SELECT count() AS n FROM ${table} WHERE project_id = 'swept' AND snapshot > 0`);
    await engine.selectJson("SELECT sleep(0.01)");
    await build({ leastEvents: 0, receivedUntilMs: CUT_MS + 1 });
    assert.equal(await count("visits"), 2);
    await sweepBuilds(engine, systemClock);
    assert.equal(await count("visits"), 2, "a report may still read it");
    await sweepBuilds(engine, { nowMs: () => systemClock.nowMs() + 46 * 60_000 });
    for (const table of ["sessions", "visits", "day_events"]) assert.equal(await count(table), 1, table);
    assert.deepEqual(await ask("swept"), [row("swept", "a.example", 1, 1, 1)]);
  });

  test("a rebuild leaves nothing of a build that was begun before it", async () => {
    await store("rebuilt", [{ id: "1", visitor: "ada", referrer: "a.example" }]);
    let isRebuilt = false;
    const interrupted: AnalyticsEngine = {
      ...engine,
      async command(sql, options) {
        if (sql.includes("INSERT INTO visits") && !isRebuilt) {
          isRebuilt = true;
          await engine.command("DROP TABLE sessions");
          await rebuildDerived(engine, { database: "sextant" });
        }
        await engine.command(sql, options);
      },
    };
    const projects = [{ project_id: "rebuilt", day: TODAY, key_days: [TODAY] }];
    await buildDay(interrupted, { day: TODAY, projects, startedMs: systemClock.nowMs(), cut: LAST_MS - CUT_MS });
    assert.ok(isRebuilt);
    assert.deepEqual(await ask("rebuilt"), [row("rebuilt", "a.example", 1, 1, 1)]);
  });
});

describe("the day book", () => {
  const day = { project_id: "p", day: "2026-03-10", key_day: "2026-03-10" };
  const atMs = Date.parse("2026-03-10T12:00:00Z");

  function openBook(aheadMs = 0): { name(nowMs: number, receivedMs: number): Promise<void>; named: unknown[] } {
    let nowMs = 0;
    const named: unknown[] = [];
    const insert: AnalyticsEngine["insert"] = async ({ body }) => {
      assert.ok(Buffer.isBuffer(body));
      for (const line of body.toString().split("\n")) named.push(JSON.parse(line));
      return { writtenRows: named.length };
    };
    const selectJson = async <T>() =>
      ({ data: [{ now_ms: nowMs + aheadMs }], meta: [], rows: 1, statistics: {} }) as unknown as JsonAnswer<T>;
    const book = createDayBook({ insert, selectJson }, { nowMs: () => nowMs });
    return {
      named,
      name(now, receivedMs) {
        nowMs = now;
        return book.open([day], receivedMs);
      },
    };
  }

  test("names a running day once, as untouched, and every time for what comes more than a minute late", async () => {
    const { name, named } = openBook();
    await name(atMs, atMs);
    await name(atMs + 1, atMs - 59_000);
    assert.deepEqual(named, [{ ...day, touched_at: 0 }]);
    await name(atMs + 2, atMs - 61_000);
    await name(atMs + 3, atMs - 61_000);
    assert.deepEqual(
      named.slice(1),
      [2, 3].map((ms) => ({ ...day, is_late: 1, touched_at: atMs + ms })),
    );
  });

  test("takes what a clock stamps that was set back for late, until it is where it was", async () => {
    const { name, named } = openBook();
    await name(atMs, atMs);
    await name(atMs - 120_000, atMs - 120_000);
    await name(atMs - 30_000, atMs - 30_000);
    assert.deepEqual(named, [
      { ...day, touched_at: 0 },
      { ...day, is_late: 1, touched_at: atMs },
    ]);
  });

  test("takes everything for late where the engine's clock is more than a minute ahead of the node's", async () => {
    const { name, named } = openBook(61_000);
    await name(atMs, atMs);
    await name(atMs + 1, atMs + 1);
    assert.deepEqual(
      named,
      [0, 1].map((ms) => ({ ...day, is_late: 1, touched_at: atMs + 61_000 + ms })),
    );
  });

  test("touches a day that is over for every batch", async () => {
    const { name, named } = openBook();
    await name(atMs + DAY_MS, atMs + DAY_MS);
    await name(atMs + DAY_MS, atMs + DAY_MS);
    assert.deepEqual(named, [day, day]);
  });
});
