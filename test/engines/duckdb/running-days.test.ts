import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openLocalEngine } from "../../../src/engines/duckdb/engine.ts";
import { DEFAULT_LIMITS } from "../../../src/engines/duckdb/limits.ts";
import { migrate } from "../../../src/engines/duckdb/migrate.ts";
import { rollUpHours } from "../../../src/engines/duckdb/roll-up-hours.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/lib/time.ts";
import { createRunReport } from "../../../src/query/run/run-report.ts";
import { createQuerySlots } from "../../../src/query/run/slots.ts";
import { questionOf } from "../../../src/query/testing.ts";
import type { OracleEvent } from "../../query/oracle.ts";
import { createEventStore, toRow } from "../../query/store-rows.ts";
import { selectNumber, startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";

const DAY = "2026-03-05";
const NOON = Date.parse(`${DAY}T12:00:00Z`);
const { signal } = new AbortController();

const NOTHING: OracleEvent = {
  project_id: "",
  day: DAY,
  message_id: "",
  timestamp: 0,
  received_at: 0,
  type: "page",
  event: "",
  anonymous_id: "",
  user_id: "",
  address: "",
  session_id: "",
  origin: "app.example",
  pathname: "/",
  referrer: "",
  referrer_url: "",
  ref: "",
  utm_source: "",
  utm_medium: "",
  click_id: "",
  utm_campaign: "",
  utm_term: "",
  utm_content: "",
  device: "desktop",
  browser: "",
  os: "",
  location: "",
  rdns: "",
  provider_name: "",
  chain_id: "",
  builder_codes: "",
  acquisition: "Direct",
  paid_source: "",
  has_touch: 1,
  volume: 0,
  revenue: 0,
  points: 0,
};

type Change = Partial<OracleEvent> & { readonly hour: number };

describe("what is rolled up of a running day", () => {
  let local: TestLocalEngine;
  let write: (project: string, events: readonly Change[]) => Promise<void>;
  let made = 0;
  before(async () => {
    local = await startLocalEngine({ nowMs: () => NOON });
    const store = await createEventStore(local.engine, "running");
    write = (project, events) =>
      store(
        events.map(({ hour, ...change }) => {
          made += 1;
          const timestamp = Date.parse(DAY) + hour * HOUR_MS;
          const own = { message_id: `m${made}`, anonymous_id: `v${made}`, timestamp, received_at: timestamp };
          return toRow({ ...NOTHING, project_id: project, ...own, ...change });
        }),
      );
  });
  after(() => local.stop());

  const { rollUp, stateOf, replacedOf, assertExact } = {
    rollUp: (nowMs = NOON, withoutBots: readonly string[] = []) =>
      local.engine.maintenance.rollUpHours({ nowMs, withoutBots, fewestEvents: 1 }, signal),
    replacedOf: (project: string) =>
      selectNumber(local.engine, `SELECT count(*) AS n FROM replaced_sessions WHERE project_id = '${project}'`),
    /** The headline of the day is that of its sessions, however much of it is rolled up. */
    async assertExact(project: string, excludeBots = false) {
      const slots = createQuerySlots({ running: 1, waiting: 0, waitMs: 1 });
      const run = createRunReport({ engine: local.engine, clock: { nowMs: () => NOON }, slots });
      const question = questionOf("kpis", { date_from: DAY, date_to: DAY, interval: "all" }, NOON);
      const owner = { workspaceId: "w", projects: [{ id: project, excludeBots, retentionDays: null }] };
      const { data } = await run("kpis", owner, question, signal);
      const found = await local.engine.select<Record<string, number>>(`SELECT
          CAST(count(*) FILTER (WHERE is_first) AS INTEGER) AS sessions,
          CAST(coalesce(sum(hits), 0) AS INTEGER) AS pageviews,
          CAST(count(DISTINCT visitor) AS INTEGER) AS visitors
        FROM sessions WHERE project_id = '${project}' AND day = '${DAY}' AND (device != 'bot' OR NOT ${excludeBots})`);
      const shown = data.map(({ sessions, pageviews, visitors }) => ({ sessions, pageviews, visitors }));
      const expected = found.rows.filter(({ sessions }) => sessions !== 0);
      assert.deepEqual(
        shown.filter(({ sessions }) => sessions !== 0),
        expected,
      );
    },
    /** Undefined when nothing is rolled up. */
    async stateOf(project: string) {
      const { rows } = await local.engine.select<{ received: number; hours: number }>(
        `SELECT epoch_ms(received_to) AS received, epoch_ms(hours_to) AS hours FROM running_days WHERE project_id = '${project}'`,
      );
      const hours = await local.engine.select<{ value: string }>(
        `SELECT value FROM rollups WHERE project_id = '${project}' AND dimension = 'hour' ORDER BY value`,
      );
      const [state] = rows;
      return state && { ...state, rows: hours.rows.map(({ value }) => value) };
    },
  };

  /** A visitor with an amount at 3, another visitor at 9, and the newest event at noon. */
  async function fill(project: string) {
    await write(project, [
      { hour: 3, anonymous_id: "payer", revenue: 5 },
      { hour: 9, anonymous_id: "other" },
      { hour: 12 },
    ]);
    await rollUp();
    assert.deepEqual(await stateOf(project), {
      received: NOON - MINUTE_MS,
      hours: NOON - HOUR_MS,
      rows: ["03", "09"],
    });
    await assertExact(project);
  }

  /** The visitor with an amount comes back, so that the session is another one than was rolled up. */
  async function comeBack(project: string) {
    await write(project, [{ hour: 12.5, anonymous_id: "payer" }]);
    assert.equal(await replacedOf(project), 1);
    await assertExact(project);
  }

  test("is made in transactions of few events and sessions, however unevenly they came", async () => {
    const minute = 1 / 60;
    // One at 3, half a day within two minutes, and one at noon.
    const burst = [9, 9 + minute].flatMap((hour) =>
      Array.from({ length: 6 }, (_, nth) => ({ hour: hour + nth / 3600, anonymous_id: `u${nth % 4}` })),
    );
    await write("burst", [{ hour: 3 }, ...burst, { hour: 12 }]);
    const { database } = local.engine;
    const spans: number[] = [];
    const counted = {
      ...database,
      async write<T>(work: Parameters<typeof database.write<T>>[0]) {
        const done = await database.write(work);
        const rolledUp =
          "SELECT coalesce(sum(hits), 0) AS n FROM rollups WHERE project_id = 'burst' AND dimension = 'page'";
        spans.push(await selectNumber(local.engine, rolledUp));
        await assertExact("burst");
        return done;
      },
    };
    const wanted = { nowMs: NOON, withoutBots: [], fewestEvents: 2 };
    await rollUpHours(counted, wanted, signal, { events: 7, sessions: 100 });
    // What is to come, two spans, and the hours 3 and 9: one of them has more than it may.
    assert.deepEqual(spans, [0, 7, 13, 13, 13]);
    await local.run("DELETE FROM running_days; DELETE FROM rollups");
    spans.length = 0;
    await rollUpHours(counted, wanted, signal, { events: 100, sessions: 3 });
    assert.deepEqual(
      spans,
      [0, 11, 13, 13],
      "of the visitors of both minutes the sessions are those of the second, in seconds 2 to 5",
    );
  });

  /** Rolls up a day with two visitors, and stores `events` after the first read for what is called so. */
  async function rollUpBeside(project: string, before: "sessions" | "hours", events: readonly Change[]) {
    await write(project, [
      { hour: 3, anonymous_id: "payer", revenue: 5 },
      { hour: 9, anonymous_id: "other" },
      { hour: 9.5, anonymous_id: "other" },
      { hour: 12 },
    ]);
    const { database } = local.engine;
    let isStored = false;
    const beside: typeof database = {
      ...database,
      aside: (work, ...rest) =>
        database.aside(
          async (connection) => {
            const done = await work(connection);
            const rolledUp = await stateOf(project);
            const isDue = before === "sessions" ? rolledUp !== undefined : (rolledUp?.received ?? 0) > 0;
            if (isDue && !isStored) {
              isStored = true;
              await write(project, events);
              await assertExact(project);
            }
            return done;
          },
          ...rest,
        ),
    };
    await rollUpHours(beside, { nowMs: NOON, withoutBots: [], fewestEvents: 1 }, signal);
    assert.ok(isStored);
    await assertExact(project);
  }

  test("is what it was when it began, where sessions go on meanwhile", async () => {
    await rollUpBeside("beside", "sessions", [
      { hour: 12.5, anonymous_id: "payer", pathname: "/later" },
      { hour: 12.5, anonymous_id: "other", referrer: "news.example" },
    ]);
    assert.deepEqual(await stateOf("beside"), {
      received: NOON - MINUTE_MS,
      hours: NOON - HOUR_MS,
      rows: ["03", "09"],
    });
    assert.equal(await replacedOf("beside"), 2);
    await write("beside", [{ hour: 13.5 }]);
    await rollUp(NOON + 1.5 * HOUR_MS);
    assert.equal(await replacedOf("beside"), 0);
    await assertExact("beside");
  });

  test("lacks the hours from that of an event that comes meanwhile", async () => {
    await rollUpBeside("beside-hours", "hours", [{ hour: 9.2, received_at: NOON + 1 }]);
    assert.deepEqual(await stateOf("beside-hours"), {
      received: NOON - MINUTE_MS,
      hours: Date.parse(DAY) + 9 * HOUR_MS,
      rows: ["03"],
    });
  });

  test("is nothing when meanwhile an event comes that it would lack", async () => {
    for (const before of ["sessions", "hours"] as const) {
      await rollUpBeside(`beside-${before}-late`, before, [{ hour: 11.5, received_at: NOON - HOUR_MS }]);
      await assertRemoved(`beside-${before}-late`);
    }
  });

  test("is exact where a second roll-up begins before the first has ended", async () => {
    const { database } = local.engine;
    await write("twice", [{ hour: 3, anonymous_id: "payer" }, { hour: 9, anonymous_id: "other" }, { hour: 12 }]);
    let second: Promise<number> | undefined;
    const slow: typeof database = {
      ...database,
      async aside(work, ...rest) {
        const isAnnounced = (await stateOf("twice")) !== undefined;
        if (isAnnounced && second === undefined) {
          // A session goes on; the row that is kept of it is that of the first announcement.
          await write("twice", [{ hour: 12.5, anonymous_id: "payer" }]);
          second = rollUp(NOON + 5 * MINUTE_MS);
          // One read of the worker follows the other: a second roll-up that did not wait would be far beyond its announcement.
          for (let reads = 0; reads < 5; reads += 1) await database.aside(async () => undefined, signal);
        }
        return database.aside(work, ...rest);
      },
    };
    await rollUpHours(slow, { nowMs: NOON, withoutBots: [], fewestEvents: 1 }, signal);
    await second;
    await assertExact("twice");
  });

  test("keeps nothing for a roll-up that did not end", async () => {
    const { database } = local.engine;
    await write("ended", [{ hour: 3, anonymous_id: "payer" }, { hour: 12 }]);
    const ending = new AbortController();
    const ended: typeof database = {
      ...database,
      async aside(work, ...rest) {
        if ((await stateOf("ended")) !== undefined) ending.abort(new Error("stopping"));
        return database.aside(work, ...rest);
      },
    };
    const wanted = { nowMs: NOON, withoutBots: [], fewestEvents: 1 };
    await assert.rejects(rollUpHours(ended, wanted, ending.signal), /stopping/);
    await write("ended", [{ hour: 12.5, anonymous_id: "payer" }]);
    assert.equal(await replacedOf("ended"), 1);
    await assertExact("ended");
    await write("ended", [{ hour: 13.5, anonymous_id: "payer" }, { hour: 13.6 }]);
    await rollUp(NOON + 1.5 * HOUR_MS);
    await assertExact("ended");
    assert.equal(await replacedOf("ended"), 0);
  });

  test("stays after later events, also of visitors that it has", async () => {
    await fill("later");
    await write("later", [
      { hour: 12.5, anonymous_id: "payer" },
      { hour: 12.5, anonymous_id: "other", paid_source: "google" },
    ]);
    assert.deepEqual((await stateOf("later"))?.rows, ["03", "09"]);
    await assertExact("later");
  });

  test("keeps the rows of a session that goes on, once, until it is rolled up again", async () => {
    await fill("going-on");
    await comeBack("going-on");
    await write("going-on", [{ hour: 12.6, anonymous_id: "payer", type: "track", event: "Swap" }]);
    assert.equal(await replacedOf("going-on"), 1);
    await assertExact("going-on");
    await write("going-on", [{ hour: 13.2 }]);
    await rollUp(NOON + 1.2 * HOUR_MS);
    assert.equal(await replacedOf("going-on"), 0);
    await assertExact("going-on");
  });

  test("follows a first touch that changes, and a visitor who leaves a value", async () => {
    await fill("touched");
    await write("touched", [{ hour: 8, anonymous_id: "other", referrer: "news.example", received_at: NOON + 1 }]);
    assert.equal(await replacedOf("touched"), 1);
    assert.notEqual(await stateOf("touched"), undefined);
    await assertExact("touched");
    await write("touched", [{ hour: 13 }]);
    await rollUp(NOON + HOUR_MS);
    const { rows } = await local.engine.select(`SELECT value, CAST(sum(sessions) AS INTEGER) AS sessions,
        CAST(sum(visitors) AS INTEGER) AS visitors
      FROM rollups WHERE project_id = 'touched' AND dimension = 'referrer' GROUP BY value ORDER BY value`);
    assert.deepEqual(rows, [
      { value: "Direct", sessions: 2, visitors: 2 },
      { value: "news.example", sessions: 1, visitors: 1 },
    ]);
  });

  test("loses the hours from that of a late event on, and has them again with the next events", async () => {
    await fill("late");
    await write("late", [{ hour: 5, received_at: NOON + 1 }]);
    assert.deepEqual(await stateOf("late"), {
      received: NOON - MINUTE_MS,
      hours: Date.parse(DAY) + 5 * HOUR_MS,
      rows: ["03"],
    });
    await assertExact("late");
    await write("late", [{ hour: 13 }]);
    await rollUp(NOON + HOUR_MS);
    assert.deepEqual((await stateOf("late"))?.rows, ["03", "05", "09"]);
    await assertExact("late");
  });

  const REMOVED: Readonly<Record<string, readonly Change[]>> = {
    "an event that was received before it": [{ hour: 11.5, received_at: NOON - HOUR_MS }],
    "an event of an earlier day": [{ hour: -5, received_at: NOON + 1 }],
    "the first ad of a visitor with an amount": [{ hour: 12.5, anonymous_id: "payer", paid_source: "google" }],
    "an earlier touch of a visitor with an amount": [{ hour: 2, anonymous_id: "payer", received_at: NOON + 1 }],
    "a session that turns out to be of a bot": [
      { hour: 8, anonymous_id: "other", device: "bot", received_at: NOON + 1 },
    ],
  };
  for (const [by, events] of Object.entries(REMOVED))
    test(`is removed by ${by}`, async () => {
      await fill(by);
      await comeBack(by);
      await write(by, events);
      await assertRemoved(by);
    });

  async function assertRemoved(project: string) {
    assert.equal(await stateOf(project), undefined);
    const left = await local.engine.select(`SELECT 1 FROM rollups WHERE project_id = '${project}' AND day = '${DAY}'`);
    assert.deepEqual(left.rows, []);
    assert.equal(await replacedOf(project), 0);
    await assertExact(project);
  }

  test("is removed when a wallet is erased, with the rows that have its address", async () => {
    await write("erased", [{ hour: 3, anonymous_id: "payer", address: "0xabc" }, { hour: 9 }, { hour: 12 }]);
    await rollUp();
    await comeBack("erased");
    await local.engine.maintenance.eraseWallet({ projectId: "erased", address: "0xabc" }, signal);
    await assertRemoved("erased");
  });

  test("is made again when the setting for bots changes, and until then read from sessions", async () => {
    await write("bots", [{ hour: 3, anonymous_id: "payer" }, { hour: 9, device: "bot" }, { hour: 12 }]);
    await rollUp();
    await comeBack("bots");
    await assertExact("bots", true);
    await write("bots", [{ hour: 13 }]);
    await rollUp(NOON + HOUR_MS, ["bots"]);
    assert.equal(await replacedOf("bots"), 0);
    await assertExact("bots", true);
    await assertExact("bots");
  });

  test("waits until no earlier day is dirty", async () => {
    await write("waiting", [{ hour: -20 }, { hour: 3 }, { hour: 12 }]);
    await rollUp();
    assert.equal(await stateOf("waiting"), undefined);
  });

  test("is replaced by all rollups of the day when it is over", async () => {
    await fill("over");
    await comeBack("over");
    const { maintenance } = local.engine;
    const due = await maintenance.listDirty(NOON + 24 * HOUR_MS, []);
    await maintenance.materialize(
      due.filter(({ project_id }) => project_id === "over"),
      signal,
    );
    assert.equal(await stateOf("over"), undefined);
    const { rows } = await local.engine.select(
      "SELECT CAST(hits AS INTEGER) AS hits FROM rollups WHERE project_id = 'over' AND dimension = 'event page'",
    );
    assert.deepEqual(rows, [{ hits: 4 }]);
    assert.equal(await replacedOf("over"), 0);
    await assertExact("over");
  });

  test("is removed by a rebuild, and when its day expires", async () => {
    for (const project of ["rebuilt", "expired"]) {
      await fill(project);
      await comeBack(project);
    }
    await local.engine.maintenance.removeBefore([{ projectId: "expired", firstDay: "2026-03-06" }], signal);
    await assertRemoved("expired");
    await local.engine.maintenance.rebuild(() => undefined, signal);
    await assertRemoved("rebuilt");
  });
});

test("a file with a running day of the schema before opens, and what was rolled up of it is made again", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "running-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const open = () => openLocalEngine({ path: join(dir, "w.duckdb"), limits: DEFAULT_LIMITS, nowMs: () => NOON });
  const old = await open();
  await migrate(old.database, { upTo: 12 });
  await old.database.write(async (connection) => {
    const found = await connection.runAndReadAll(
      "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'replaced_sessions'",
    );
    const values = found.getRows().map(([name, type]) => {
      if (name === "project_id") return "'old'";
      if (name === "day") return `'${DAY}'`;
      return `CAST('${type === "VARCHAR[]" ? "[]" : type === "TIMESTAMP_MS" ? DAY : "1"}' AS ${String(type)})`;
    });
    await connection.run(`INSERT INTO replaced_sessions SELECT ${values.join(", ")}`);
    await connection.run(`INSERT INTO running_days VALUES ('old', '${DAY}', '${DAY}', '${DAY}', false)`);
    const rollup = (day: string) => `('old', '${day}', 'total', '', '1970-01-01', 1, 1, 1, 1, 1, 1, 1, 1, 1)`;
    await connection.run(`INSERT INTO rollups VALUES ${rollup("2026-03-04")}, ${rollup(DAY)}`);
  });
  await old.close();
  const engine = await open();
  t.after(() => engine.close());
  await engine.schema.migrate();
  for (const [table, rows] of Object.entries({ replaced_sessions: 0, running_days: 0, rollups: 1 }))
    assert.equal(await selectNumber(engine, `SELECT count(*) AS n FROM ${table}`), rows, table);
});
