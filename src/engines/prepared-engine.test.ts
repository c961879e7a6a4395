import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AnalyticsEngine, EngineDown, EngineRefused, type InsertBatch } from "./analytics.ts";
import { prepareWhenThere } from "./prepared-engine.ts";

const BATCH: InsertBatch = { table: "events", body: Buffer.alloc(0) };
const AWAY = new EngineDown("connect ECONNREFUSED");
/** A code that a row could be to blame for. */
const REFUSED = new EngineRefused("TYPE_MISMATCH", { code: 53 });

/** An engine that counts its inserts; each preparation ends as the next of `outcomes` says. */
async function open(outcomes: (Error | undefined)[]) {
  const seen = { inserts: 0, tries: 0, away: 0 };
  const insert = async () => {
    seen.inserts += 1;
    return { writtenRows: 0 };
  };
  const prepare = async () => {
    const outcome = outcomes[seen.tries];
    seen.tries += 1;
    if (outcome) throw outcome;
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
});
