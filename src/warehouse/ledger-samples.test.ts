import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AnalyticsEngine } from "../engines/port.ts";
import type { Selected, SelectOptions } from "../engines/select.ts";
import { QUIET } from "../lib/tolerate.ts";
import { createLedgerSamples } from "./ledger-samples.ts";

const NOON = Date.UTC(2026, 2, 10, 12);
const STATISTICS = { elapsed: 0, rows_read: 0, bytes_read: 0 };

/** An engine whose samples take `sampleMs` of a simulated clock. Each returns its own number. */
function createWatched(sampleMs: number) {
  const state = { nowMs: NOON, samples: 0, options: undefined as SelectOptions | undefined };
  const clock = { nowMs: () => state.nowMs };
  const engine: Pick<AnalyticsEngine, "select"> = {
    async select<T>(_sql: string, options?: SelectOptions): Promise<Selected<T>> {
      state.samples += 1;
      state.options = options;
      state.nowMs += sampleMs;
      const rows = [{ outcome: "stored", reason: "", n_events: state.samples }] as T[];
      return { rows, statistics: STATISTICS };
    },
  };
  return { state, deps: { engine, clock, steady: clock, log: QUIET } };
}

describe("samples of the ledger of the last hour", () => {
  for (const [sampleMs, pauseMs] of [
    [3, 1_000],
    [4_000, 400_000],
  ] as const) {
    test(`one that takes ${sampleMs} ms is the last for ${pauseMs} ms, however often it is read`, async () => {
      const { state, deps } = createWatched(sampleMs);
      const samples = createLedgerSamples(deps);
      const ask = async () => (await samples.read())?.received;
      assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
      for (let i = 0; i < 10; i += 1) {
        assert.equal(await ask(), 1);
        state.nowMs += pauseMs / 10 - 1;
      }
      assert.equal(state.samples, 1);
      state.nowMs += 10;
      assert.deepEqual(await Promise.all([ask(), ask()]), [2, 2]);
    });
  }

  test("cover whole minutes, including the current one", async () => {
    const { state, deps } = createWatched(1);
    state.nowMs = NOON + 90_500;
    await createLedgerSamples(deps).read();
    assert.deepEqual(state.options?.params, { from_ms: NOON - 59 * 60_000, to_ms: NOON + 120_000 });
  });

  test("delay no caller by more than 2 s: the next caller receives a late result", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { deps } = createWatched(1);
    const gate = Promise.withResolvers<void>();
    const engine: typeof deps.engine = {
      async select(sql, options) {
        await gate.promise;
        return deps.engine.select(sql, options);
      },
    };
    const samples = createLedgerSamples({ ...deps, engine });
    const first = samples.read();
    t.mock.timers.tick(2_000);
    assert.equal(await first, undefined);
    gate.resolve();
    assert.equal((await samples.read())?.received, 1);
  });

  test("that fail are undefined, and never the previous sample", async () => {
    const { state, deps } = createWatched(1);
    let unavailable = false;
    const engine: typeof deps.engine = {
      select: async (sql, options) => {
        if (unavailable) throw new Error("unavailable");
        return deps.engine.select(sql, options);
      },
    };
    const samples = createLedgerSamples({ ...deps, engine });
    const received: (number | undefined)[] = [];
    for (const isUnavailable of [false, true, false]) {
      unavailable = isUnavailable;
      received.push((await samples.read())?.received);
      state.nowMs += 1_000;
    }
    assert.deepEqual(received, [1, undefined, 2]);
  });
});
