import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type AnalyticsEngine, EngineBusy, type ReadOptions } from "../../src/engines/analytics.ts";
import { encodeRecord } from "../../src/ingest/record.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY_MS, dayOf } from "../../src/lib/time.ts";
import { closeDueDays } from "../../src/warehouse/close-days.ts";
import { createDayBook, LATE } from "../../src/warehouse/day-book.ts";
import { readLedger } from "../../src/warehouse/events-admin.ts";
import { insertBatch } from "../../src/warehouse/insert-batch.ts";
import { removeExpiredEvents, removeOldParked } from "../../src/warehouse/retention.ts";
import { sweepBuilds } from "../../src/warehouse/sweep-builds.ts";
import { createTransform } from "../../src/warehouse/transform.ts";
import { quietLog } from "../support/control.ts";
import { sampleEvent } from "../support/events.ts";
import { selectNumber, startTestWarehouse, type TestWarehouse } from "../support/warehouse.ts";

const NOW_MS = Date.parse("2026-03-10T12:00:00Z");
const TABLES = ["events", "sessions", "revenue_events", "chain_visitors", "visits", "rollups", "event_days"];

let warehouse: TestWarehouse;
let engine: AnalyticsEngine;
before(async () => {
  warehouse = await startTestWarehouse();
  engine = warehouse.engine;
});
after(() => warehouse.stop());

/** A visit with revenue of each project on each day; `keyDay` is what the client's clock said. */
async function store(projects: readonly string[], days: readonly string[], keyDay?: string): Promise<void> {
  const rows = projects.flatMap((project_id) =>
    days.map((day) => ({
      ...{ project_id, day: keyDay ?? day, message_id: `${project_id} ${day}`, timestamp: Date.parse(day), first: 1 },
      ...{ type: "page", anonymous_id: "ada", chain_id: "1", revenue: 1 },
    })),
  );
  const named = rows.map(({ project_id, day, timestamp }) => ({
    project_id,
    day: new Date(timestamp).toISOString().slice(0, 10),
    key_day: day,
  }));
  await createDayBook(engine, systemClock).open(named, LATE);
  await engine.insert({ table: "events", body: Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n")) });
}

async function daysOf(table: string, project: string): Promise<string[]> {
  const day = table === "events" ? "toDate(timestamp)" : "day";
  const { data } = await engine.selectJson<{ d: string }>(
    `SELECT DISTINCT toString(${day}) AS d FROM ${table} WHERE project_id = {project:String} ORDER BY d`,
    { params: { project } },
  );
  return data.map(({ d }) => d);
}

const partsOf = (table: string, month: number) =>
  selectNumber(
    engine,
    `SELECT count() AS n FROM system.parts WHERE database = 'sextant' AND table = '${table}' AND match(partition_id, '^${month}(-0)?$') AND active`,
  );
type Asked = Pick<AnalyticsEngine, "selectJson" | "command">;
const remove = (limits: { projectId: string; days: number }[], asked: Asked = engine) =>
  removeExpiredEvents(asked, limits, { nowMs: NOW_MS, settleS: -1e9 });

/** The engine, and what is said to it: `before` hears each statement, and may do something first or fail. */
function overhear(before: (sql: string, signal: AbortSignal | undefined) => Promise<void> | void): Asked {
  return {
    async selectJson<T>(sql: string, options?: ReadOptions) {
      await before(sql, options?.signal);
      return engine.selectJson<T>(sql, options);
    },
    async command(sql, options) {
      await before(sql, options?.signal);
      return engine.command(sql, options);
    },
  };
}

describe("retention of events", () => {
  test("days beyond a project's limit go from every table, other projects and days stay", async () => {
    await store(["short", "long", "free"], ["2026-01-05", "2026-03-02", "2026-03-03", "2026-03-09"]);
    await closeDueDays(engine, { settleS: 0 });
    const removed = await remove([
      { projectId: "short", days: 7 },
      { projectId: "long", days: 30 },
    ]);
    assert.equal(removed, 3);
    for (const table of TABLES) {
      assert.deepEqual(await daysOf(table, "short"), ["2026-03-03", "2026-03-09"], table);
      assert.deepEqual(await daysOf(table, "long"), ["2026-03-02", "2026-03-03", "2026-03-09"], table);
      assert.equal((await daysOf(table, "free")).length, 4, table);
    }
    assert.equal(await remove([{ projectId: "short", days: 7 }]), 0, "a second run finds nothing");
  });

  test("a month in which nothing stays is dropped, not rewritten", async () => {
    await store(["short"], ["2025-11-01", "2025-11-30"]);
    await closeDueDays(engine, { settleS: 0 });
    for (const table of ["events", "sessions", "rollups"]) assert.ok((await partsOf(table, 202511)) > 0);
    const changes: string[] = [];
    const heard = overhear((sql) => void (sql.startsWith("ALTER TABLE events ") && changes.push(sql)));
    assert.equal(await remove([{ projectId: "short", days: 7 }], heard), 2);
    for (const table of ["events", "sessions", "revenue_events", "chain_visitors", "visits", "rollups"])
      assert.equal(await partsOf(table, 202511), 0, table);
    assert.match(changes.join("\n"), /^ALTER TABLE events DROP PART '202511_\S+'$/);
  });

  test("what comes meanwhile from another project stays, into whatever month and between whichever statements", async () => {
    const rollup = (project_id: string, day: string) => {
      const body = Buffer.from(JSON.stringify({ project_id, dimension: "os", value: "linux", day, build: 1, hits: 1 }));
      return engine.insert({ table: "rollups", body });
    };
    // Before the look at the days, before that at the parts, and before the first drop; each into a month of its own.
    const arrivals: [before: RegExp, day: string, arrive: (project: string, day: string) => Promise<unknown>][] = [
      [/FROM event_days/, "2025-08-01", (project, day) => store([project], [day])],
      [/_part AS part.*FROM events/s, "2025-07-01", (project, day) => store([project], [day])],
      [/events DROP .*'202506/, "2025-06-01", (project, day) => store([project], [day])],
      [/rollups DROP .*'202505/, "2025-05-01", rollup],
    ];
    for (const [, day, arrive] of arrivals) await arrive("short", day);
    const left = new Set(arrivals);
    const heard = overhear(async (sql) => {
      for (const one of left) {
        const [before, day, arrive] = one;
        if (!before.test(sql)) continue;
        left.delete(one);
        await arrive("keeper", day);
      }
    });
    assert.equal(await remove([{ projectId: "short", days: 7 }], heard), 3);
    assert.equal(left.size, 0, "each has come in between");
    assert.deepEqual(await daysOf("events", "keeper"), ["2025-06-01", "2025-07-01", "2025-08-01"]);
    assert.deepEqual(await daysOf("rollups", "keeper"), ["2025-05-01"]);
    for (const table of ["events", "rollups"])
      assert.deepEqual(await daysOf(table, "short"), ["2026-03-03", "2026-03-09"], table);
  });

  test("what cannot be counted in time is removed all the same", async () => {
    await store(["uncounted"], ["2025-04-01"]);
    const busy = overhear((sql) => {
      if (/_part AS part|SELECT count\(\)/.test(sql)) throw new EngineBusy("Timeout exceeded", { code: 159 });
    });
    assert.equal(await remove([{ projectId: "uncounted", days: 7 }], busy), 0);
    for (const table of ["events", "event_days"]) assert.deepEqual(await daysOf(table, "uncounted"), [], table);
  });

  test("what a build wrote after its day was removed goes with the next run", async () => {
    const row = { project_id: "rebuilt", dimension: "os", value: "linux", day: "2025-03-01", build: 1, hits: 1 };
    await engine.insert({ table: "rollups", body: Buffer.from(JSON.stringify(row)) });
    await remove([{ projectId: "rebuilt", days: 7 }]);
    assert.deepEqual(await daysOf("rollups", "rebuilt"), []);
  });

  test("a stop ends it in the middle of any statement, and the next run does the rest", async () => {
    const limits = [{ projectId: "stopped", days: 7 }];
    await store(["stopped"], ["2025-02-01"]);
    const runs: [string, (asked: Asked, signal: AbortSignal) => Promise<unknown>][] = [
      ["events", (asked, signal) => removeExpiredEvents(asked, limits, { nowMs: NOW_MS, settleS: -1e9, signal })],
      ["parked events", (asked, signal) => removeOldParked(asked, { nowMs: NOW_MS, signal })],
      ["sweep", (asked, signal) => sweepBuilds(asked, systemClock, undefined, signal)],
    ];
    for (const [name, run] of runs) {
      for (let last = 1, ended = false; !ended; last += 1) {
        const stopping = new AbortController();
        const given: unknown[] = [];
        const cut = overhear((_, signal) => {
          given.push(signal);
          if (given.length < last) return;
          stopping.abort(new Error("stopping"));
          throw stopping.signal.reason;
        });
        ended = await run(cut, stopping.signal).then(
          () => true,
          () => false,
        );
        for (const signal of given) assert.equal(signal, stopping.signal, `${name}: each statement hears of a stop`);
        assert.ok(given.length <= last, `${name}: nothing follows statement ${last}`);
      }
    }
    for (const table of ["events", "event_days"]) assert.deepEqual(await daysOf(table, "stopped"), [], table);
  });

  test("an event of today in an old partition, from a clock that is wrong, stays", async () => {
    await store(["skewed"], ["2026-03-10"], "2025-10-07");
    await store(["skewed"], ["2025-10-08"]);
    assert.equal(await remove([{ projectId: "skewed", days: 1 }]), 1);
    assert.deepEqual(await daysOf("events", "skewed"), ["2026-03-10"]);
  });

  test("a day that got events just now waits for the next run", async () => {
    await store(["late"], ["2025-09-01"]);
    const nowMs = Date.now();
    const limits = [{ projectId: "late", days: 1 }];
    assert.equal(await removeExpiredEvents(engine, limits, { nowMs }), 0);
    assert.deepEqual(await daysOf("events", "late"), ["2025-09-01"]);
    assert.equal(await removeExpiredEvents(engine, limits, { nowMs, settleS: -60 }), 1);
    assert.deepEqual(await daysOf("event_days", "late"), []);
  });

  test("an event that was old when it came is no duplicate in the ledger once it is removed", async () => {
    const nowMs = Date.now();
    const receivedAtMs = nowMs - (nowMs % 60_000);
    const sent = (id: string, daysAgo: number) =>
      sampleEvent(id, { channel: "import", original_timestamp: new Date(nowMs - daysAgo * DAY_MS).toISOString() });
    const common = { projectId: "import", workspaceId: "w", rules: "tracked", lines: false, idBase: "x" } as const;
    const body = Buffer.from(JSON.stringify([sent("old", 40), sent("new", 0), sent("new", 0), { type: 7 }]));
    const payload = Buffer.concat(encodeRecord({ ...common, receivedAtMs }, body));
    const deps = { engine, dayBook: createDayBook(engine, systemClock), log: quietLog };
    const batch = createTransform()([{ payload, place: "n-1" }]);
    await insertBatch({ ...deps, signal: new AbortController().signal }, batch, "token-import");
    const ledger = async () => {
      const [line] = await readLedger(engine, ["import"], { fromMs: receivedAtMs, toMs: receivedAtMs + 60_000 });
      return [line?.received, line?.stored, line?.duplicate, line?.parked];
    };
    assert.deepEqual(await ledger(), [4, 2, 1, 1]);
    await removeExpiredEvents(engine, [{ projectId: "import", days: 30 }], { nowMs, settleS: -60 });
    assert.deepEqual(await ledger(), [3, 1, 1, 1]);
  });

  test("the ledger and parked events go, too, also where no event does; parked ones after 30 days at the latest", async () => {
    // Around today: the engine itself takes no parked event that is older than 30 days.
    const nowMs = Date.now();
    const days = [24, 9, 6].map((ago) => dayOf(nowMs - ago * DAY_MS));
    const at = (day: string) => Date.parse(`${day}T01:00:00Z`);
    const lines = (make: (day: string) => object) =>
      Buffer.from(days.map((day) => JSON.stringify(make(day))).join("\n"));
    for (const project_id of ["counted", "other"]) {
      await engine.insert({
        table: "ledger",
        body: lines((day) => ({
          project_id,
          minute: at(day) / 1000,
          outcome: "written",
          reason: "",
          batch: day,
          events: 1,
        })),
      });
      const body = lines((day) => ({ project_id, received_at: at(day), id: day, reason: "x", raw: "{}" }));
      await engine.insert({ table: "parked_events", body });
    }
    await removeExpiredEvents(engine, [{ projectId: "counted", days: 7 }], { nowMs, settleS: -60 });
    const count = (table: string, project: string) =>
      selectNumber(engine, `SELECT count() AS n FROM ${table} FINAL WHERE project_id = '${project}'`);
    assert.deepEqual([await count("ledger", "counted"), await count("ledger", "other")], [1, 3]);
    assert.deepEqual([await count("parked_events", "counted"), await count("parked_events", "other")], [1, 3]);
    assert.equal(await removeOldParked(engine, { nowMs: nowMs + 8 * DAY_MS }), 1);
    assert.equal(await count("parked_events", "other"), 2);
  });
});
