import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AnalyticsEngine, JsonAnswer, ReadOptions } from "../engines/analytics.ts";
import { QUIET } from "../lib/tolerate.ts";
import { createLedgerLooks } from "./ledger-looks.ts";

const NOON = Date.UTC(2026, 2, 10, 12);
const STATISTICS = { elapsed: 0, rows_read: 0, bytes_read: 0 };

/** An engine of which a look takes `lookMs` of a clock that nobody waits for; what it finds is the number of the look. */
function createWatched(lookMs: number) {
  const state = { nowMs: NOON, looks: 0, options: undefined as ReadOptions | undefined };
  const clock = { nowMs: () => state.nowMs };
  const engine: Pick<AnalyticsEngine, "selectJson"> = {
    async selectJson<T>(_sql: string, options?: ReadOptions): Promise<JsonAnswer<T>> {
      state.looks += 1;
      state.options = options;
      state.nowMs += lookMs;
      const data = [{ stored: state.looks, duplicate: 0, parked: {}, refused: {} }] as T[];
      return { meta: [], data, rows: 1, statistics: STATISTICS };
    },
  };
  return { state, deps: { engine, clock, steady: clock, log: QUIET } };
}

describe("looks at the ledger of the last hour", () => {
  for (const [lookMs, pauseMs] of [
    [3, 1_000],
    [4_000, 400_000],
  ] as const) {
    test(`one that takes ${lookMs} ms is the last for ${pauseMs} ms, however often somebody asks`, async () => {
      const { state, deps } = createWatched(lookMs);
      const looks = createLedgerLooks(deps);
      const ask = async () => (await looks.read())?.received;
      assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
      for (let i = 0; i < 10; i += 1) {
        assert.equal(await ask(), 1);
        state.nowMs += pauseMs / 10 - 1;
      }
      assert.equal(state.looks, 1);
      state.nowMs += 10;
      assert.deepEqual(await Promise.all([ask(), ask()]), [2, 2]);
    });
  }

  test("are at the whole minutes of it, the one that runs included", async () => {
    const { state, deps } = createWatched(1);
    state.nowMs = NOON + 90_500;
    await createLedgerLooks(deps).read();
    assert.deepEqual(state.options?.params, { from: (NOON - 59 * 60_000) / 1000, to: (NOON + 120_000) / 1000 });
  });

  test("hold nobody up for over 2 s: what is found later is told to the next one", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { deps } = createWatched(1);
    const gate = Promise.withResolvers<void>();
    const engine: typeof deps.engine = {
      async selectJson(sql, options) {
        await gate.promise;
        return deps.engine.selectJson(sql, options);
      },
    };
    const looks = createLedgerLooks({ ...deps, engine });
    const first = looks.read();
    t.mock.timers.tick(2_000);
    assert.equal(await first, undefined);
    gate.resolve();
    assert.equal((await looks.read())?.received, 1);
  });

  test("that fail are told as nothing, not as what was there before", async () => {
    const { state, deps } = createWatched(1);
    let away = false;
    const engine: typeof deps.engine = {
      selectJson: async (sql, options) => {
        if (away) throw new Error("away");
        return deps.engine.selectJson(sql, options);
      },
    };
    const looks = createLedgerLooks({ ...deps, engine });
    const told: (number | undefined)[] = [];
    for (const isAway of [false, true, false]) {
      away = isAway;
      told.push((await looks.read())?.received);
      state.nowMs += 1_000;
    }
    assert.deepEqual(told, [1, undefined, 2]);
  });
});
