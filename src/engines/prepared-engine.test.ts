import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { EncodedBatch } from "./batch.ts";
import { EngineDown, EngineRefused } from "./failures.ts";
import type { AnalyticsEngine, BatchStore } from "./port.ts";
import { prepareWhenAvailable } from "./prepared-engine.ts";

const POSITION = { segment: 0, offset: 0 };
const RANGE = { from: POSITION, to: POSITION, token: "" };
const EMPTY: EncodedBatch = {
  events: [],
  form: "rows",
  starts: new Uint32Array(),
  eventCount: 0,
  parked: new Uint8Array(),
  ledger: [],
  partitions: [],
  firstReceivedAtMs: 0,
};
const UNAVAILABLE = new EngineDown("connect ECONNREFUSED");
const REFUSED = new EngineRefused("TYPE_MISMATCH", { code: 53 });

/** An engine that counts the batches it stores. Each preparation ends with the next of `outcomes`. */
async function open(outcomes: (Error | Promise<void> | undefined)[]) {
  const seen = { stored: 0, tries: 0, unavailable: 0 };
  const prepare = async () => {
    const outcome = outcomes[seen.tries];
    seen.tries += 1;
    if (outcome instanceof Error) throw outcome;
    await outcome;
  };
  const store: Pick<BatchStore, "store"> = {
    async store() {
      seen.stored += 1;
      return { ledger: [], durable: POSITION };
    },
  };
  const engine = { openBatchStore: async () => store } as unknown as AnalyticsEngine;
  const prepared = await prepareWhenAvailable(engine, prepare, () => {
    seen.unavailable += 1;
  });
  const retries: unknown[] = [];
  const onRetry = (cause: unknown) => void retries.push(cause);
  const batches = await prepared.engine.openBatchStore({ nodeId: "n", cursorFile: "", onRetry });
  const send = (signal = new AbortController().signal) => batches.store(EMPTY, RANGE, signal);
  return { ...prepared, send, seen, retries };
}

describe("an engine that is prepared when it is available", () => {
  test("is prepared once, before it is used", async () => {
    const { send, seen } = await open([undefined]);
    await send();
    assert.deepEqual(seen, { stored: 1, tries: 1, unavailable: 0 });
  });

  test("stores no batch while it is unavailable, and is prepared before the first one that it stores", async () => {
    const { send, seen, retries } = await open([UNAVAILABLE, UNAVAILABLE, undefined]);
    await Promise.all([send(), send()]);
    assert.deepEqual(seen, { stored: 2, tries: 3, unavailable: 1 });
    assert.ok(retries.length > 0 && retries.every((cause) => cause === UNAVAILABLE));
  });

  test("that refuses at once ends the start", async () => {
    await assert.rejects(open([REFUSED]), REFUSED);
    await assert.rejects(open([new Error("its tables were made for a cluster")]), /made for a cluster/);
  });

  test("that refuses a later preparation is unavailable: no event of its batches is parked", async () => {
    const { send, getReady, seen, retries } = await open([UNAVAILABLE, REFUSED, REFUSED, undefined]);
    await assert.rejects(getReady(), { name: "EngineDown", message: "the warehouse cannot be used: TYPE_MISMATCH" });
    await send();
    assert.ok(retries[0] instanceof EngineDown);
    assert.deepEqual(seen, { stored: 1, tries: 4, unavailable: 1 });
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

    test("does not keep a start waiting, and stores batches once it is prepared after all", async (t) => {
      const { send, seen, wake } = await openHanging(t);
      assert.deepEqual(seen, { stored: 0, tries: 1, unavailable: 1 });
      const sending = send();
      wake();
      await sending;
      assert.deepEqual(seen, { stored: 1, tries: 1, unavailable: 1 });
    });

    test("does not delay a batch that is aborted, before or meanwhile", { timeout: 5_000 }, async (t) => {
      const { send, seen } = await openHanging(t);
      const reason = new Error("stopping");
      const stop = new AbortController();
      const sending = send(stop.signal);
      stop.abort(reason);
      await assert.rejects(sending, reason);
      await assert.rejects(send(stop.signal), reason);
      assert.equal(seen.stored, 0);
    });

    test("stores no batch that was aborted in the moment of its preparation", async (t) => {
      const { send, seen, wake } = await openHanging(t);
      const stop = new AbortController();
      const sending = send(stop.signal);
      wake();
      stop.abort();
      await assert.rejects(sending, { name: "AbortError" });
      assert.equal(seen.stored, 0);
    });
  });
});
