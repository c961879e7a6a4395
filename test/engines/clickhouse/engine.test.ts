import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CursorMoved } from "../../../src/engines/batch.ts";
import { encodeExportedRows } from "../../../src/engines/row-binary.ts";
import type { ExportedRow } from "../../../src/engines/source-tables.ts";
import { DAY_MS, dayOf } from "../../../src/lib/time.ts";
import { readLedger, readLedgerTotals } from "../../../src/warehouse/ledger.ts";
import { readParked } from "../../../src/warehouse/parked.ts";
import { replayParked } from "../../../src/warehouse/replay.ts";
import { BLANK_ROW } from "../../support/blank-row.ts";
import { startClickhouseEngine, type TestClickhouseEngine } from "../../support/clickhouse-engine.ts";
import { sampleEvent } from "../../support/events.ts";
import { createTestWriter, selectNumber } from "../../support/local-engine.ts";
import { whyNoClickHouse } from "../../support/platform.ts";

const MINUTE = Math.floor(Date.now() / 60_000) * 60_000 - 120_000;
const WINDOW = { fromMs: MINUTE, toMs: MINUTE + 120_000 };
const { signal } = new AbortController();

describe("ClickHouse as the engine", { skip: whyNoClickHouse() ?? false }, () => {
  let host: TestClickhouseEngine;
  before(async () => {
    host = await startClickhouseEngine();
  });
  after(() => host?.stop());

  const countEvents = (project: string) =>
    selectNumber(host.engine, `SELECT count() AS n FROM events WHERE project_id = '${project}'`);

  test("has the newest schema, and a second start does not change it", async () => {
    const { schema } = host.engine;
    assert.equal(await schema.version(), schema.newest);
    await schema.migrate();
  });

  test("reports the outcome of each event, and counts a message once", async () => {
    const { engine } = host;
    const store = await createTestWriter(engine, "ledger");
    const event = sampleEvent("a");
    await store("one", [event, event, { type: 1 }, 5], MINUTE);
    await store("one", [event, sampleEvent("b")], MINUTE + 60_000);
    await store("two", { why: "too_many", count: 6_000 }, MINUTE + 60_002);
    assert.deepEqual(await readLedgerTotals(engine, WINDOW), {
      received: 6_006,
      stored: 2,
      duplicate: 2,
      parked: { invalid_fields: 1, not_an_object: 1 },
      refused: { too_many: 6_000 },
    });
    const lines = await readLedger(engine, ["one"], WINDOW);
    assert.deepEqual(
      lines.map(({ received, stored, duplicate, parked }) => [received, stored, duplicate, parked]),
      [
        [4, 1, 1, 2],
        [2, 1, 1, 0],
      ],
    );
    assert.equal(await countEvents("one"), 2);
  });

  test("stores a batch once that a crash interrupted, and continues from its cursor", async () => {
    const { engine } = host;
    const store = await engine.openBatchStore({ nodeId: "crash", cursorFile: "" });
    const batch = batchOf("crash", ["m1", "m2"]);
    const start = { segment: 0, offset: 0 };
    const range = { from: start, to: { segment: 1, offset: 10 }, token: "crash-1" };
    await store.store(batch, range, signal);
    assert.deepEqual(await store.position(), { done: range.to });
    // As if the second write of the cursor had not reached the disk.
    const again = await engine.openBatchStore({ nodeId: "crash again", cursorFile: "" });
    await again.store(batch, range, signal);
    assert.equal(await countEvents("crash"), 2);
    const { rows } = await engine.select(
      "SELECT outcome, sum(events) AS n FROM ledger WHERE project_id = 'crash' GROUP BY outcome",
    );
    assert.deepEqual(rows, [{ outcome: "stored", n: 2 }]);
    await assert.rejects(store.store(batch, { ...range, to: { segment: 1, offset: 20 } }, signal), CursorMoved);
    await store.close();
    await again.close();
  });

  test("parks a row that it refuses, and stores the others of the batch", async () => {
    const { engine, clickhouse } = host;
    await clickhouse.command("ALTER TABLE events_rows ADD CONSTRAINT no_bad CHECK message_id != 'bad'");
    const store = await engine.openBatchStore({ nodeId: "refused", cursorFile: "" });
    const batch = batchOf("refused", ["x", "bad", "y"]);
    const range = { from: { segment: 0, offset: 0 }, to: { segment: 1, offset: 1 }, token: "refused-1" };
    const { ledger } = await store.store(batch, range, signal);
    await clickhouse.command("ALTER TABLE events_rows DROP CONSTRAINT no_bad");
    assert.deepEqual(
      ledger.map(({ outcome, reason, events }) => [outcome, reason, events]),
      [
        ["stored", "", 2],
        ["parked", "warehouse_refused", 1],
      ],
    );
    assert.equal(await countEvents("refused"), 2);
    assert.deepEqual(await replayParked(engine, ["refused"], {}), { stored: 1, stillInvalid: 0 });
    assert.equal(await countEvents("refused"), 3);
    const { rows } = await engine.select(
      "SELECT outcome, sum(events) AS n FROM ledger WHERE project_id = 'refused' GROUP BY outcome HAVING sum(events) != 0",
    );
    assert.deepEqual(rows, [{ outcome: "stored", n: 3 }]);
    for await (const left of readParked(engine, ["refused"], {})) assert.deepEqual(left, []);
    await store.close();
  });

  test("imports the rows of a backup, and importing them twice changes nothing", async () => {
    const { engine } = host;
    const [day, minute] = [dayOf(MINUTE), MINUTE / 1000];
    const common = { project_id: "imported", minute, reason: "", day };
    const ledger = [
      { ...common, outcome: "stored", events: 2 },
      { ...common, outcome: "duplicate", events: 3 },
      { ...common, outcome: "refused", reason: "bad_json", events: 4 },
    ];
    const parked = {
      project_id: "imported",
      received_at: MINUTE,
      id: "p",
      reason: "invalid_fields",
      details: "{}",
      rules: "tracked",
      country: "",
      message_id: "",
      raw: `"${"é😀".repeat(20_000)}"`,
    };
    for (let time = 0; time < 2; time += 1) {
      await engine.importRows("parked_events", [parked]);
      await engine.importRows("events", [rowOf("imported", "i1"), rowOf("imported", "i2")]);
      await engine.importRows("ledger", ledger);
    }
    const { rows } = await engine.select(
      "SELECT outcome, reason, day, sum(events) AS n FROM ledger WHERE project_id = 'imported' GROUP BY outcome, reason, day ORDER BY outcome",
    );
    assert.deepEqual(rows, [
      { outcome: "duplicate", reason: "", day, n: 3 },
      { outcome: "refused", reason: "bad_json", day, n: 4 },
      { outcome: "stored", reason: "", day, n: 2 },
    ]);
    const texts: string[] = [];
    for await (const page of readParked(engine, ["imported"], {})) texts.push(...page.map(({ raw }) => raw));
    assert.deepEqual(texts, [parked.raw]);
  });

  test("removes expired events of one project and nothing of the others", async () => {
    const { engine } = host;
    const old = Date.now() - 40 * DAY_MS;
    await engine.importRows("events", [rowOf("gone", "g1", old), rowOf("gone", "g2"), rowOf("stays", "s1", old)]);
    const limits = [{ projectId: "gone", firstDay: dayOf(Date.now() - 10 * DAY_MS) }];
    assert.equal(await engine.maintenance.removeBefore(limits, signal), 1);
    assert.deepEqual([await countEvents("gone"), await countEvents("stays")], [1, 1]);
    assert.equal(await engine.maintenance.removeBefore(limits, signal), 0);
    assert.equal((await engine.maintenance.removeParkedBefore(dayOf(Date.now() + DAY_MS), signal)) > 0, true);
    assert.equal(await selectNumber(engine, "SELECT count() AS n FROM parked_raw"), 0);
  });
});

function rowOf(project_id: string, message_id: string, timestamp = MINUTE): ExportedRow {
  const key = { project_id, message_id, dedupe_day: dayOf(timestamp), timestamp, received_at: MINUTE };
  return { ...BLANK_ROW, ...key };
}

function batchOf(project: string, ids: readonly string[]) {
  const rows = ids.map((id) => rowOf(project, id));
  const { bytes, starts } = encodeExportedRows(rows);
  const day = dayOf(MINUTE);
  const entry = {
    project_id: project,
    minute: MINUTE / 1000,
    outcome: "stored",
    reason: "",
    day,
    events: ids.length,
  } as const;
  return {
    form: "rows" as const,
    events: [bytes],
    starts,
    eventCount: ids.length,
    parked: Buffer.alloc(0),
    ledger: [entry],
    partitions: [{ project_id: project, day, dedupe_day: day }],
    firstReceivedAtMs: MINUTE,
  };
}
