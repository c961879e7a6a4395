import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/analytics.ts";
import { encodeRecord } from "../../src/ingest/record.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { closeDueDays, findDueDays } from "../../src/warehouse/close-days.ts";
import { createDayBook } from "../../src/warehouse/day-book.ts";
import { insertBatch } from "../../src/warehouse/insert-batch.ts";
import { sweepBuilds } from "../../src/warehouse/sweep-builds.ts";
import { createTransform } from "../../src/warehouse/transform.ts";
import { quietLog } from "../support/control.ts";
import { sampleEvent } from "../support/events.ts";
import { selectNumber, startTestWarehouse, type TestWarehouse } from "../support/warehouse.ts";

const DAY_MS = 86_400_000;

describe("closing days", () => {
  let warehouse: TestWarehouse;
  let engine: AnalyticsEngine;
  before(async () => {
    warehouse = await startTestWarehouse();
    engine = warehouse.engine;
  });
  after(() => warehouse.stop());

  const transform = createTransform();

  /** One event of a visitor of its own, some days ago, on its way through the writer. */
  function store(project: string, id: string, daysAgo = 3, through = engine, visitor = id): Promise<unknown> {
    const time = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
    const event = sampleEvent(id, {
      channel: "server",
      original_timestamp: time,
      sent_at: time,
      anonymous_id: visitor,
    });
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

  /** As a report counts them, by the rollups of a window that holds every day. */
  function visitorsOf(project: string): Promise<number> {
    return selectNumber(
      engine,
      `SELECT sum(arraySum((seen, n) -> if(seen = 0, n, 0), seen_before, visitors)) AS n FROM rollups WHERE dimension = 'device'
       AND build IN (SELECT build FROM project_days(projects = ['${project}']) WHERE NOT is_open)`,
    );
  }

  /** Until the engine's clock has moved past the last touch by a whole second: touches of the settling time keep a day open. */
  async function closeSettled(through: AnalyticsEngine = engine, onlyOne = false): Promise<void> {
    const settled = async () => (await findDueDays(engine, { settleS: 1 })).length > 0;
    // Not more often: the question takes 35 ms of processor, and the answer changes after one to two seconds.
    for (let i = 0; i < 40 && !(await settled()); i += 1) await new Promise((resolve) => setTimeout(resolve, 200));
    const stop = new AbortController();
    const onDay = () => (onlyOne ? stop.abort() : undefined);
    await closeDueDays(through, { settleS: 1, signal: stop.signal, onDay }).catch((cause: unknown) => {
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

  test("a worker that dies in the middle and two at once change no count, and every visitor counts once", async () => {
    for (const [id, daysAgo] of [
      ["a", 5],
      ["b", 4],
      ["c", 3],
    ] as const)
      await store("two", id, daysAgo, engine, "ada");
    const failing: AnalyticsEngine = {
      ...engine,
      insert: (batch) => (batch.table === "closed_days" ? Promise.reject(new Error("killed")) : engine.insert(batch)),
    };
    await assert.rejects(closeSettled(failing), /killed/);
    assert.deepEqual(await stateOf("two"), { sessions: 0, open: 3 });
    await Promise.all([closeSettled(), closeSettled()]);
    await closeDueDays(engine, { settleS: 1 });
    assert.deepEqual(await stateOf("two"), { sessions: 3, open: 0 });
    assert.equal(await visitorsOf("two"), 1);
  });

  test("a day that was built on what another worker has replaced since is open", async () => {
    for (const [id, daysAgo] of [
      ["a", 5],
      ["b", 4],
    ] as const)
      await store("rests", id, daysAgo, engine, "ada");
    await closeSettled();
    // One worker is about to name its build of the first day when another builds the second day on the old one.
    const named = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const slow: AnalyticsEngine = {
      ...engine,
      async insert(batch) {
        if (batch.table === "closed_days") {
          reached.resolve();
          await named.promise;
        }
        return engine.insert(batch);
      },
    };
    await store("rests", "c", 5, engine, "bob");
    await store("rests", "d", 4, engine, "bob");
    const first = closeSettled(slow, true);
    await reached.promise;
    const firstDay = new Date(Date.now() - 5 * DAY_MS).toISOString().slice(0, 10);
    const elsewhere: AnalyticsEngine = {
      ...engine,
      async selectJson<T>(sql: string, options?: Parameters<AnalyticsEngine["selectJson"]>[1]) {
        const found = await engine.selectJson<T>(sql, options);
        const isLook = sql.includes("project_days(");
        return isLook
          ? { ...found, data: found.data.filter((row) => (row as { day?: string }).day !== firstDay) }
          : found;
      },
    };
    await closeSettled(elsewhere);
    named.resolve();
    await first;
    assert.deepEqual(await stateOf("rests"), { sessions: 2, open: 1 });
    await closeSettled();
    assert.deepEqual(await stateOf("rests"), { sessions: 4, open: 0 });
    assert.equal(await visitorsOf("rests"), 2);
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
    const sweepAfter = (ms: number) => sweepBuilds(engine, { ...systemClock, nowMs: () => Date.now() + ms });
    await sweepAfter(0);
    assert.equal(await all(), 3, "what was replaced just now stays: somebody may be reading it");
    await sweepAfter(DAY_MS);
    assert.equal(await all(), 2);
    assert.deepEqual(await stateOf("sweep"), kept);
  });
});
