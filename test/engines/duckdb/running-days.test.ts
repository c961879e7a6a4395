import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/lib/time.ts";
import type { OracleEvent } from "../../query/oracle.ts";
import { createEventStore, toRow } from "../../query/store-rows.ts";
import { startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";

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

  const { rollUp, stateOf } = {
    rollUp: (nowMs = NOON) => local.engine.maintenance.rollUpHours({ nowMs, withoutBots: [], fewestEvents: 1 }, signal),
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
  }

  test("stays after later events, also of visitors that it has", async () => {
    await fill("later");
    await write("later", [
      { hour: 12.5, anonymous_id: "payer" },
      { hour: 12.5, anonymous_id: "other", paid_source: "google" },
    ]);
    assert.deepEqual((await stateOf("later"))?.rows, ["03", "09"]);
  });

  test("loses the hours from that of a late event on, and has them again with the next events", async () => {
    await fill("late");
    await write("late", [{ hour: 5, received_at: NOON + 1 }]);
    assert.deepEqual(await stateOf("late"), {
      received: NOON - MINUTE_MS,
      hours: Date.parse(DAY) + 5 * HOUR_MS,
      rows: ["03"],
    });
    await write("late", [{ hour: 13 }]);
    await rollUp(NOON + HOUR_MS);
    assert.deepEqual((await stateOf("late"))?.rows, ["03", "05", "09"]);
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
      await write(by, events);
      assert.equal(await stateOf(by), undefined);
      const left = await local.engine.select(`SELECT 1 FROM rollups WHERE project_id = '${by}' AND day = '${DAY}'`);
      assert.deepEqual(left.rows, []);
    });

  test("waits until no earlier day is dirty", async () => {
    await write("waiting", [{ hour: -20 }, { hour: 3 }, { hour: 12 }]);
    await rollUp();
    assert.equal(await stateOf("waiting"), undefined);
  });

  test("is replaced by all rollups of the day when it is over", async () => {
    await fill("over");
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
    assert.deepEqual(rows, [{ hits: 3 }]);
  });
});
