import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type AnalyticsEngine, connectAnalytics } from "../../src/engines/analytics.ts";
import { encodeRecord } from "../../src/ingest/record.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { closeDueDays, findDueDays } from "../../src/warehouse/close-days.ts";
import { createDayBook } from "../../src/warehouse/day-book.ts";
import { insertBatch } from "../../src/warehouse/insert-batch.ts";
import { migrateWarehouse } from "../../src/warehouse/migrate.ts";
import { sweepBuilds } from "../../src/warehouse/sweep-builds.ts";
import { createTransform } from "../../src/warehouse/transform.ts";
import { quietLog } from "../support/control.ts";
import { startTestEngine, type TestEngine } from "../support/engine.ts";
import { sampleEvent } from "../support/events.ts";
import { selectNumber } from "../support/warehouse.ts";

const DAY_MS = 86_400_000;

describe("closing days", () => {
  let host: TestEngine;
  let engine: AnalyticsEngine;
  before(async () => {
    host = await startTestEngine();
    const { username, password } = host.engine;
    engine = connectAnalytics({ url: () => host.engine.url(), username, password, database: "sextant" });
    await migrateWarehouse(engine, { database: "sextant" });
  });
  after(async () => {
    await engine.close();
    await host.stop();
  });

  const transform = createTransform();

  /** One event of a visitor of its own, some days ago, on its way through the writer. */
  function store(project: string, id: string, daysAgo = 3, through: AnalyticsEngine = engine): Promise<unknown> {
    const time = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
    const event = sampleEvent(id, { channel: "server", original_timestamp: time, sent_at: time, anonymous_id: id });
    const record = {
      ...{ projectId: project, workspaceId: "w", receivedAtMs: Date.now(), lines: false, idBase: "m" },
      rules: "tracked" as const,
    };
    const payload = Buffer.concat(encodeRecord(record, Buffer.from(JSON.stringify([event]))));
    const deps = {
      engine: through,
      dayBook: createDayBook(through, systemClock),
      log: quietLog,
      signal: new AbortController().signal,
    };
    return insertBatch(deps, transform([{ payload, place: id }]), `token-${project}-${id}`);
  }

  /** Sessions of the builds that count, and how many days are open. */
  async function stateOf(project: string): Promise<{ sessions: number; open: number }> {
    const days = `project_days(projects = ['${project}'])`;
    return {
      sessions: await selectNumber(
        engine,
        `SELECT count() AS n FROM sessions WHERE build IN (SELECT build FROM ${days} WHERE NOT is_open)`,
      ),
      open: await selectNumber(engine, `SELECT count() AS n FROM ${days} WHERE is_open`),
    };
  }

  /** Until the engine's clock has moved past the last touch by a whole second: touches of the settling time keep a day open. */
  async function closeSettled(through: AnalyticsEngine = engine, onlyOne = false): Promise<void> {
    const settled = async () => (await findDueDays(engine, { settleS: 1 })).length > 0;
    for (let i = 0; i < 400 && !(await settled()); i += 1) await new Promise((resolve) => setTimeout(resolve, 10));
    const stop = new AbortController();
    const onDay = () => (onlyOne ? stop.abort() : undefined);
    await closeDueDays(through, systemClock, { settleS: 1, signal: stop.signal, onDay }).catch((cause: unknown) => {
      if (!stop.signal.aborted) throw cause;
    });
  }

  test("a day that an event is on its way to while it is built is open again", async () => {
    await store("race", "early");
    let late: Promise<unknown> = Promise.resolve();
    let looks = 0;
    const build = Promise.withResolvers<void>();
    // The day is named right after the closer has looked; the event itself lands when the day is built.
    const slow = {
      ...engine,
      insert: async (batch: Parameters<AnalyticsEngine["insert"]>[0]) => {
        if (batch.table === "events") await build.promise;
        return engine.insert(batch);
      },
    };
    const racing: AnalyticsEngine = {
      ...engine,
      async selectJson(sql, options) {
        const found = await engine.selectJson<never>(sql, options);
        if (sql.includes("project_days(") && looks++ === 0) {
          late = store("race", "late", 3, slow);
          await engine.selectJson("SELECT sleep(0.05)");
        }
        return found;
      },
    };
    await closeSettled(racing, true);
    build.resolve();
    await late;
    assert.equal((await stateOf("race")).open, 1);
    await closeSettled();
    assert.deepEqual(await stateOf("race"), { sessions: 2, open: 0 });
  });

  test("two workers at once, and one that dies in the middle, change no count", async () => {
    for (const [id, daysAgo] of [
      ["a", 5],
      ["b", 4],
      ["c", 3],
    ] as const)
      await store("two", id, daysAgo);
    const failing: AnalyticsEngine = {
      ...engine,
      insert: (batch) => (batch.table === "closed_days" ? Promise.reject(new Error("killed")) : engine.insert(batch)),
    };
    await assert.rejects(closeSettled(failing), /killed/);
    assert.deepEqual(await stateOf("two"), { sessions: 0, open: 3 });
    await Promise.all([closeSettled(), closeSettled(), closeSettled()]);
    assert.deepEqual(await stateOf("two"), { sessions: 3, open: 0 });
  });

  test("a late event opens its day at once, and the days after it when it is built", async () => {
    for (const [id, daysAgo] of [
      ["a", 5],
      ["b", 4],
      ["c", 3],
    ] as const)
      await store("late", id, daysAgo);
    await closeSettled();
    await store("late", "d", 4);
    assert.deepEqual(await stateOf("late"), { sessions: 2, open: 1 });
    await closeSettled();
    assert.deepEqual(await stateOf("late"), { sessions: 4, open: 0 });
  });

  test("the sweep takes what no longer counts and nothing else", async () => {
    await store("sweep", "a");
    await closeSettled();
    await store("sweep", "b");
    await closeSettled();
    const kept = await stateOf("sweep");
    const all = () => selectNumber(engine, "SELECT count() AS n FROM sessions WHERE project_id = 'sweep'");
    await sweepBuilds(engine, systemClock);
    assert.equal(await all(), 3, "young builds stay: somebody may be reading them");
    await sweepBuilds(engine, { ...systemClock, nowMs: () => Date.now() + DAY_MS });
    assert.equal(await all(), 2);
    assert.deepEqual(await stateOf("sweep"), kept);
    await sweepBuilds(engine, { ...systemClock, nowMs: () => Date.now() + DAY_MS });
  });
});
