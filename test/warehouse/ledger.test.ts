import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Gauge, Registry } from "prom-client";
import { EngineDown } from "../../src/engines/failures.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { readLedger, readLedgerTotals } from "../../src/warehouse/ledger.ts";
import { createLedgerMetrics } from "../../src/warehouse/ledger-metrics.ts";
import { ENGINES, type StartedEngine } from "../support/both-engines.ts";
import { quietLog } from "../support/control.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter, startLocalEngine } from "../support/local-engine.ts";
import { waitFor } from "../support/wait.ts";

/** Noon of yesterday. */
const MINUTE = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2;
const WINDOW = { fromMs: MINUTE, toMs: MINUTE + 120_000 };

const secondOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

for (const { name, skip, start } of ENGINES)
  describe(`the ledger of all projects on ${name}`, { skip }, () => {
    let host: StartedEngine;
    let engine: AnalyticsEngine;
    before(async () => {
      host = await start();
      engine = host.engine;
    });
    after(() => host?.stop());

    test("is the sum of the projects: received = stored + duplicate + parked + refused, by reason", async () => {
      const store = await createTestWriter(engine);
      const event = sampleEvent("a");
      await store("one", [sampleEvent("before")], MINUTE - 1);
      await store("one", [event, event, { type: 1 }, 5], MINUTE);
      await store("one", [event, sampleEvent("b")], MINUTE + 60_000);
      await store("two", [event, { type: 1 }], MINUTE + 60_001);
      await store("two", { why: "too_many", count: 6_000 }, MINUTE + 60_002);
      await store("two", { why: "bad_json", count: 1 }, MINUTE + 119_999);
      await store("two", [sampleEvent("behind")], MINUTE + 120_000);
      const totals = await readLedgerTotals(engine, WINDOW);
      assert.deepEqual(totals, {
        received: 6_009,
        stored: 3,
        duplicate: 2,
        parked: { invalid_fields: 2, not_an_object: 1 },
        refused: { bad_json: 1, too_many: 6_000 },
      });
      const reasons = (lines: Record<string, number>) => ({ ...lines });
      const lines = await readLedger(engine, ["one", "two"], WINDOW);
      assert.deepEqual(
        lines.map((line) => ({ ...line, reasons: reasons(line.reasons) })),
        [
          {
            project_id: "one",
            at: secondOf(MINUTE),
            received: 4,
            stored: 1,
            duplicate: 1,
            parked: 2,
            refused: 0,
            reasons: { "parked:invalid_fields": 1, "parked:not_an_object": 1 },
          },
          {
            project_id: "one",
            at: secondOf(MINUTE + 60_000),
            received: 2,
            stored: 1,
            duplicate: 1,
            parked: 0,
            refused: 0,
            reasons: {},
          },
          {
            project_id: "two",
            at: secondOf(MINUTE + 60_000),
            received: 6_003,
            stored: 1,
            duplicate: 0,
            parked: 1,
            refused: 6_001,
            reasons: { "parked:invalid_fields": 1, "refused:bad_json": 1, "refused:too_many": 6_000 },
          },
        ],
      );
    });

    test("counts whole minutes, whatever the seconds at which its window begins and ends", async () => {
      const store = await createTestWriter(engine);
      await store("minutes", [sampleEvent("m-1")], MINUTE + 5_000);
      await store("minutes", [sampleEvent("m-2"), sampleEvent("m-2")], MINUTE + 50_000);
      await store("minutes", [sampleEvent("m-3")], MINUTE + 70_000);
      const whole = await readLedger(engine, ["minutes"], WINDOW);
      const odd = await readLedger(engine, ["minutes"], { fromMs: MINUTE + 45_500, toMs: MINUTE + 61_000 });
      assert.deepEqual(odd, whole);
      assert.deepEqual(
        whole.map(({ received, stored, duplicate }) => ({ received, stored, duplicate })),
        [
          { received: 3, stored: 2, duplicate: 1 },
          { received: 1, stored: 1, duplicate: 0 },
        ],
      );
    });
  });

test("the ledger leaves the metrics while the engine is unavailable, holds back no other metric, and returns", async (t) => {
  const { engine, stop } = await startLocalEngine();
  t.after(stop);
  let unavailable = false;
  const shaky: AnalyticsEngine = {
    ...engine,
    async select(sql, options) {
      if (unavailable) throw new EngineDown("unavailable");
      return engine.select(sql, options);
    },
  };
  const registry = new Registry();
  new Gauge({ name: "another", help: "Beside it.", registers: [registry] }).set(1);
  const metrics = createLedgerMetrics({ engine: shaky, registry, log: quietLog });
  t.after(() => metrics.stop());
  const isTold = async () => {
    const text = await registry.metrics();
    assert.match(text, /^another 1$/m);
    const [received, outcomes] = [/^sextant_ledger_received \d/m.test(text), /^sextant_ledger_events\{/m.test(text)];
    assert.equal(received, outcomes);
    return received;
  };
  for (const isUnavailable of [false, true, false]) {
    unavailable = isUnavailable;
    await waitFor(
      `the ledger of an engine that is ${isUnavailable ? "unavailable" : "there"}`,
      async () => (await isTold()) !== isUnavailable,
      60_000,
    );
  }
});
