/**
 * Two warehouses get the same batches. One of them rolls up its running day now and then, the other one never does and
 * reads all sessions of the day: every report has to be the same.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ReportQuery } from "../../src/contract/analytics.ts";
import { SOURCE_COLUMNS } from "../../src/contract/metric-columns.ts";
import type { ReportName } from "../../src/contract/reports.ts";
import { createRelations } from "../../src/engines/duckdb/relations.ts";
import { rollUpHours } from "../../src/engines/duckdb/roll-up-hours.ts";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/lib/time.ts";
import { MARGINS } from "../../src/materialize/margins.ts";
import { createRunReport } from "../../src/query/run/run-report.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { questionOf } from "../../src/query/testing.ts";
import { selectNumber, startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";
import { createRandom, generateEvents } from "./generate.ts";
import type { OracleEvent } from "./oracle.ts";
import { createEventStore, toRow } from "./store-rows.ts";

const TODAY = Date.parse("2026-03-05");
const DAYS = ["2026-03-03", "2026-03-04"];
const PROJECTS = ["people", "all"];
const WITHOUT_BOTS = ["people"];
const VISITORS = 14;
const PERSON = { device: "desktop", revenue: 0, volume: 0 } as const;
const ROUNDS = IS_LONG ? 12 : 2;

const FROM = { date_from: "2026-03-03", date_to: "2026-03-05" } as const;
const OF_TODAY = { date_from: "2026-03-05", date_to: "2026-03-05" } as const;
const QUESTIONS: readonly (readonly [ReportName, ReportQuery])[] = [
  ...(["hour", "day", "week", "all"] as const).flatMap((interval): [ReportName, ReportQuery][] => [
    ["kpis", { ...FROM, interval, include_previous_period: true }],
    ["kpis", { ...OF_TODAY, interval }],
  ]),
  ...[...SOURCE_COLUMNS].map((metric_column): [ReportName, ReportQuery] => ["top_sources", { ...FROM, metric_column }]),
  ...[FROM, OF_TODAY].flatMap((days): [ReportName, ReportQuery][] => [
    ["top_sources", days],
    ["top_locations", days],
    ["top_chains", days],
    ["top_wallets", days],
    ["top_pages", days],
    ["top_pages", { ...days, mode: "entry" }],
    ["top_pages", { ...days, mode: "exit" }],
    ["revenue_overview", days],
  ]),
];

describe("a running day that is rolled up now and then", () => {
  const random = createRandom(SEED);
  let nowMs = TODAY + 2 * HOUR_MS;
  const clock = { nowMs: () => nowMs };
  const warehouses: {
    readonly local: TestLocalEngine;
    readonly store: Awaited<ReturnType<typeof createEventStore>>;
    readonly run: ReturnType<typeof createRunReport>;
  }[] = [];
  let made = 0;
  const seen = { rolledUp: 0, replaced: 0, beside: 0 };

  before(async () => {
    for (const name of ["one", "other"]) {
      const local = await startLocalEngine(clock);
      const slots = createQuerySlots({ running: 4, waiting: 0, waitMs: 1 });
      const { select, relations } = local.engine;
      // Without `reads` the engine keeps no answer.
      const engine: typeof local.engine = {
        ...local.engine,
        relations,
        select: (sql, { reads: _reads, ...given } = {}) => select(sql, given),
      };
      const run = createRunReport({ engine, clock, slots });
      warehouses.push({ local, store: await createEventStore(local.engine, name), run });
    }
  });
  after(async () => {
    for (const { local } of warehouses) await local.stop();
  });

  const storeAll = async (events: readonly OracleEvent[]) => {
    for (const { store } of warehouses) await store(events.map(toRow));
  };
  const materializeAll = async () => {
    for (const { local } of warehouses) {
      const { maintenance } = local.engine;
      const dirty = await maintenance.listDirty(nowMs + MARGINS.quietMs, WITHOUT_BOTS);
      await maintenance.materialize(dirty, new AbortController().signal);
    }
  };
  /** Now and then in several spans, and while events come. */
  const rollUp = async (chance = random.chance(0.5) ? 0 : 0.1) => {
    const wanted = { nowMs, withoutBots: WITHOUT_BOTS, fewestEvents: 1 };
    const { database } = warehouses[0]?.local.engine ?? assert.fail();
    const most = random.chance(0.5) ? { events: 5, sessions: 100 } : { events: 100, sessions: 2 };
    const beside: typeof database = {
      ...database,
      async aside(work, ...rest) {
        if (random.chance(chance)) {
          nowMs += MINUTE_MS;
          await storeAll(eventsOf(1 + random.int(3), ofNow));
          seen.beside += 1;
          if (random.chance(0.2)) await compareAll("being rolled up");
        }
        return database.aside(work, ...rest);
      },
    };
    await rollUpHours(beside, wanted, new AbortController().signal, random.chance(0.7) ? undefined : most);
  };

  /** Of visitors with a history, who come back all day. Few have amounts or turn out to be bots: both undo what is rolled up. */
  function eventsOf(count: number, at: (random: ReturnType<typeof createRandom>) => number): OracleEvent[] {
    const source = generateEvents(random, { projects: PROJECTS, days: DAYS, count: 4 * count, poolSize: 6 });
    return source.slice(0, count).map((event, nth) => {
      made += 1;
      const visitor = random.int(VISITORS);
      const isPaid = random.chance(0.02);
      const timestamp = at(random);
      return {
        ...event,
        day: new Date(timestamp).toISOString().slice(0, 10),
        message_id: `m${made}`,
        anonymous_id: `v${visitor}`,
        user_id: "",
        address: random.chance(0.3) ? `0x${visitor % 5}` : "",
        session_id: random.chance(0.5) ? "" : `s${visitor}-${random.int(3)}`,
        device: visitor < 2 || random.chance(0.005) ? "bot" : "desktop",
        has_touch: random.chance(0.7) ? 1 : 0,
        revenue: isPaid ? event.revenue : 0,
        volume: isPaid ? event.volume : 0,
        timestamp,
        received_at: nowMs + nth,
      };
    });
  }

  const nextEvent = () => {
    made += 1;
    return { message_id: `m${made}`, timestamp: nowMs, received_at: nowMs };
  };

  async function compareAll(
    about: string,
    questions = QUESTIONS.filter(() => IS_LONG || random.chance(0.2)),
  ): Promise<void> {
    const projects = PROJECTS.map((id) => ({ id, excludeBots: WITHOUT_BOTS.includes(id), retentionDays: null }));
    for (const [name, query] of questions) {
      const question = questionOf(name, { limit: 1_000, offset: 0, ...query }, nowMs);
      const answers = [];
      for (const { run } of warehouses)
        answers.push(await run(name, { workspaceId: "w", projects }, question, new AbortController().signal));
      assert.deepEqual(answers[0]?.data, answers[1]?.data, `${about}: ${name} ${JSON.stringify(query)}`);
    }
  }

  async function countSeen(): Promise<void> {
    const [first] = warehouses;
    assert.ok(first);
    seen.rolledUp += await selectNumber(first.local.engine, "SELECT count(*) AS n FROM running_days");
    seen.replaced += await selectNumber(first.local.engine, "SELECT count(*) AS n FROM replaced_sessions");
  }

  /** Within the last half hour, now and then hours late. */
  const ofNow = (given: typeof random) =>
    Math.max(TODAY, nowMs - (given.chance(0.05) ? given.int(6 * HOUR_MS) : given.int(30 * MINUTE_MS)));

  test("answers every report as if it were not", { timeout: 1_800_000 }, async () => {
    await storeAll(eventsOf(300, (given) => TODAY - 1 - given.int(2 * DAY_MS)));
    await materializeAll();
    await storeAll(eventsOf(60, ofNow));
    for (let round = 0; round < ROUNDS; round += 1) {
      await rollUp();
      await compareAll(`round ${round}, rolled up`);
      for (let batch = 1 + random.int(2); batch > 0; batch -= 1) {
        nowMs += (2 + random.int(16)) * MINUTE_MS;
        await storeAll(eventsOf(2 + random.int(12), ofNow));
      }
      await countSeen();
      await compareAll(`round ${round}, with more events`);
    }
    // Whatever was random so far: sessions that are rolled up and go on, without amounts and bots, which would undo it.
    const going = eventsOf(20, () => nowMs).map((event) => ({
      ...event,
      ...PERSON,
      anonymous_id: `going-${event.anonymous_id}`,
    }));
    for (const batch of [going, eventsOf(1, () => nowMs)]) {
      await storeAll(batch.map((event) => ({ ...event, ...nextEvent() })));
      nowMs += 2 * MINUTE_MS;
    }
    await rollUp(0);
    await storeAll(going.map((event) => ({ ...event, ...nextEvent() })));
    await countSeen();
    await compareAll("sessions that go on");
    assert.ok(seen.rolledUp > 0, "something was rolled up when more events had come");
    assert.ok(seen.replaced > 0, "sessions went on after they were rolled up");
    if (IS_LONG) assert.ok(seen.beside > 0, "events came while it was being rolled up");
  });

  /** Each kind of report once, or those that read events, sessions and hours. */
  const SOME = QUESTIONS.filter(
    ([name, { date_from, interval = "day", metric_column, mode }]) =>
      date_from === FROM.date_from &&
      metric_column === undefined &&
      mode === undefined &&
      (IS_LONG || (["kpis", "top_pages"].includes(name) && ["hour", "day"].includes(String(interval)))),
  ).map(([name, query]) => [name, { ...query, date_to: "2026-03-06" }] as const);

  test("answers every report when its clock was ahead, and events of an earlier day come", async () => {
    nowMs = TODAY + 2 * DAY_MS + 2 * HOUR_MS;
    await materializeAll();
    await storeAll(eventsOf(40, () => nowMs));
    nowMs += 30 * MINUTE_MS;
    await storeAll(eventsOf(1, () => nowMs));
    await rollUp(0);
    const { engine } = warehouses[0]?.local ?? assert.fail();
    const ahead = "SELECT count(*) AS n FROM running_days WHERE day = '2026-03-07'";
    assert.equal(await selectNumber(engine, ahead), PROJECTS.length);
    nowMs = TODAY + DAY_MS + 20 * HOUR_MS;
    await storeAll(eventsOf(20, () => nowMs));
    await compareAll("set back", SOME);
  });

  test("answers every report while sessions are made again after an upgrade", async () => {
    const [first] = warehouses;
    assert.ok(first);
    // As a migration leaves them.
    await first.local.run(`INSERT INTO outdated_sessions SELECT DISTINCT project_id, day FROM sessions;
      DELETE FROM sessions; DELETE FROM rollups; DELETE FROM running_days; DELETE FROM replaced_sessions;
      UPDATE rollup_state SET clean_through = DATE '1969-12-31'`);
    const { select } = first.local.engine;
    const engine = { ...first.local.engine, select, relations: createRelations({ select }) };
    const slots = createQuerySlots({ running: 4, waiting: 0, waitMs: 1 });
    warehouses[0] = { ...first, run: createRunReport({ engine, clock, slots }) };
    await compareAll("outdated", SOME);
  });
});
