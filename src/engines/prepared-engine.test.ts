import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { type AnalyticsEngine, EngineDown, EngineRefused, type InsertBatch } from "./analytics.ts";
import { prepareWhenThere } from "./prepared-engine.ts";

const BATCH: InsertBatch = { table: "events", body: Buffer.alloc(0) };
const AWAY = new EngineDown("connect ECONNREFUSED");
/** A code that a row could be to blame for. */
const REFUSED = new EngineRefused("TYPE_MISMATCH", { code: 53 });

/** An engine that counts its inserts; each preparation ends as the next of `outcomes` says, or when that promise does. */
async function open(outcomes: (Error | Promise<void> | undefined)[]) {
  const seen = { inserts: 0, tries: 0, away: 0 };
  const insert = async () => {
    seen.inserts += 1;
    return { writtenRows: 0 };
  };
  const prepare = async () => {
    const outcome = outcomes[seen.tries];
    seen.tries += 1;
    if (outcome instanceof Error) throw outcome;
    await outcome;
  };
  const engine = { insert } as unknown as AnalyticsEngine;
  const prepared = await prepareWhenThere(engine, prepare, () => {
    seen.away += 1;
  });
  return { ...prepared, seen };
}

describe("an engine that is prepared when it is there", () => {
  test("is prepared once, before it is used", async () => {
    const { engine, seen } = await open([undefined]);
    await engine.insert(BATCH);
    assert.deepEqual(seen, { inserts: 1, tries: 1, away: 0 });
  });

  test("takes no row while it is away, and is prepared before the first one that it takes", async () => {
    const { engine, seen } = await open([AWAY, AWAY, undefined]);
    await assert.rejects(engine.insert(BATCH), EngineDown);
    assert.deepEqual(seen, { inserts: 0, tries: 2, away: 1 });
    await Promise.all([engine.insert(BATCH), engine.insert(BATCH)]);
    assert.deepEqual(seen, { inserts: 2, tries: 3, away: 1 });
  });

  test("that refuses at once ends the start", async () => {
    await assert.rejects(open([REFUSED]), REFUSED);
    await assert.rejects(open([new Error("its tables were made for a cluster")]), /made for a cluster/);
  });

  test("that refuses to be prepared later is down to the rows: none of them is parked for it", async () => {
    const { engine, getReady, seen } = await open([AWAY, REFUSED, REFUSED]);
    await assert.rejects(engine.insert(BATCH), EngineDown);
    await assert.rejects(getReady(), { name: "EngineDown", message: "the warehouse cannot be used: TYPE_MISMATCH" });
    assert.equal(seen.inserts, 0);
  });

  describe("that hangs", () => {
    /** Its first preparation does not end by itself, and the start has waited for it long enough. */
    async function openHanging(t: TestContext) {
      t.mock.timers.enable({ apis: ["setTimeout"] });
      const { promise, resolve } = Promise.withResolvers<void>();
      const opening = open([promise]);
      t.mock.timers.tick(5_000);
      return { ...(await opening), wake: resolve };
    }

    test("does not keep a start waiting, and takes rows once it is prepared after all", async (t) => {
      const { engine, seen, wake } = await openHanging(t);
      assert.deepEqual(seen, { inserts: 0, tries: 1, away: 1 });
      const inserting = engine.insert({ ...BATCH, signal: new AbortController().signal });
      wake();
      await inserting;
      assert.deepEqual(seen, { inserts: 1, tries: 1, away: 1 });
    });

    test("is not waited for by an insert that is told to stop, before or meanwhile", { timeout: 5_000 }, async (t) => {
      const { engine, seen } = await openHanging(t);
      const reason = new Error("stopping");
      const stop = new AbortController();
      const inserting = engine.insert({ ...BATCH, signal: stop.signal });
      stop.abort(reason);
      await assert.rejects(inserting, reason);
      await assert.rejects(engine.insert({ ...BATCH, signal: stop.signal }), reason);
      assert.equal(seen.inserts, 0);
    });

    test("takes no row of an insert that was told to stop in the moment it was prepared", async (t) => {
      const { engine, seen, wake } = await openHanging(t);
      const stop = new AbortController();
      const inserting = engine.insert({ ...BATCH, signal: stop.signal });
      wake();
      stop.abort();
      await assert.rejects(inserting, { name: "AbortError" });
      assert.equal(seen.inserts, 0);
    });
  });
});
