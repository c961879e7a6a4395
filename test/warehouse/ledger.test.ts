import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Gauge, Registry } from "prom-client";
import { type AnalyticsEngine, EngineDown } from "../../src/engines/analytics.ts";
import { encodeRecord, type RequestRecord } from "../../src/ingest/record.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openLedgerMetrics } from "../../src/open-ledger.ts";
import { createDayBook } from "../../src/warehouse/day-book.ts";
import { readLedger, readLedgerTotals } from "../../src/warehouse/events-admin.ts";
import { insertBatch } from "../../src/warehouse/insert-batch.ts";
import { createTransform } from "../../src/warehouse/transform.ts";
import { quietLog } from "../support/control.ts";
import { sampleEvent } from "../support/events.ts";
import { waitFor } from "../support/wait.ts";
import { startTestWarehouse, type TestWarehouse } from "../support/warehouse.ts";

const MINUTE = Date.UTC(2026, 10, 15, 12, 0);
const WINDOW = { fromMs: MINUTE, toMs: MINUTE + 120_000 };

describe("the ledger of all projects", () => {
  let warehouse: TestWarehouse;
  let engine: AnalyticsEngine;
  before(async () => {
    warehouse = await startTestWarehouse();
    engine = warehouse.engine;
  });
  after(() => warehouse.stop());

  const transform = createTransform();
  async function store(
    projectId: string,
    receivedAtMs: number,
    body: readonly unknown[] | NonNullable<RequestRecord["refused"]>,
    into: Pick<AnalyticsEngine, "insert"> = engine,
  ): Promise<void> {
    const common = { projectId, workspaceId: "w", rules: "tracked", lines: false, idBase: "x", receivedAtMs } as const;
    const record: RequestRecord = "why" in body ? { ...common, refused: body } : common;
    const payload = Buffer.concat(encodeRecord(record, Buffer.from("why" in body ? "" : JSON.stringify(body))));
    const place = `${projectId}-${receivedAtMs}`;
    const deps = { dayBook: createDayBook(engine, systemClock), log: quietLog, signal: new AbortController().signal };
    await insertBatch({ engine: into, ...deps }, transform([{ payload, place }]), place);
  }

  test("is the sum of what it says of each: received = stored + duplicate + parked + refused, by reason", async () => {
    const event = sampleEvent("a");
    await store("one", MINUTE - 1, [sampleEvent("before")]);
    await store("one", MINUTE, [event, event, { type: 1 }, 5]);
    await store("one", MINUTE + 60_000, [event, sampleEvent("b")]);
    await store("two", MINUTE + 60_001, [event, { type: 1 }]);
    await store("two", MINUTE + 60_002, { why: "too_many", count: 6_000 });
    await store("two", MINUTE + 119_999, { why: "bad_json", count: 1 });
    await store("two", MINUTE + 120_000, [sampleEvent("behind")]);
    const totals = await readLedgerTotals(engine, WINDOW);
    assert.deepEqual(totals, {
      received: 6_009,
      stored: 3,
      duplicate: 2,
      parked: { invalid_fields: 2, not_an_object: 1 },
      refused: { bad_json: 1, too_many: 6_000 },
    });
    const lines = await readLedger(engine, ["one", "two"], WINDOW);
    for (const name of ["received", "stored", "duplicate"] as const)
      assert.equal(
        lines.reduce((all, line) => all + line[name], 0),
        totals[name],
        name,
      );
  });

  test("takes what is stored and not yet in the ledger for received, and no number of copies below zero for one", async () => {
    const before = await readLedgerTotals(engine, WINDOW);
    const meanwhile: (typeof before)[] = [];
    const watched: Pick<AnalyticsEngine, "insert"> = {
      async insert(batch) {
        if (batch.table === "ledger") meanwhile.push(await readLedgerTotals(engine, WINDOW));
        return engine.insert(batch);
      },
    };
    const events = Array.from({ length: 10 }, (_, i) => sampleEvent(`late-${i}`));
    await store("three", MINUTE + 30_000, events, watched);
    const sums = ({ received, stored, duplicate }: typeof before) => ({ received, stored, duplicate });
    const stored = { received: before.received + 10, stored: before.stored + 10, duplicate: before.duplicate };
    assert.deepEqual(meanwhile.map(sums), [stored]);
    assert.deepEqual(sums(await readLedgerTotals(engine, WINDOW)), stored);
  });

  test("is in no metric while the engine is away, keeps none of the others back, and is told again when it is there", async (t) => {
    let away = false;
    const shaky: AnalyticsEngine = {
      ...engine,
      async selectJson(sql, options) {
        if (away) throw new EngineDown("away");
        return engine.selectJson(sql, options);
      },
    };
    const registry = new Registry();
    new Gauge({ name: "another", help: "Beside it.", registers: [registry] }).set(1);
    const metrics = openLedgerMetrics({ engine: shaky, registry, log: quietLog });
    t.after(() => metrics.stop());
    const isTold = async () => {
      const text = await registry.metrics();
      assert.match(text, /^another 1$/m);
      const [received, outcomes] = [/^sextant_ledger_received \d/m.test(text), /^sextant_ledger_events\{/m.test(text)];
      assert.equal(received, outcomes);
      return received;
    };
    for (const isAway of [false, true, false]) {
      away = isAway;
      await waitFor(
        `the ledger of an engine that is ${isAway ? "away" : "there"}`,
        async () => (await isTold()) !== isAway,
        60_000,
      );
    }
  });
});
