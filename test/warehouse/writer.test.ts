import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type AnalyticsEngine, EngineDown } from "../../src/engines/analytics.ts";
import { openCursor } from "../../src/engines/clickhouse/cursor.ts";
import { nodeFiles } from "../../src/lib/files.ts";
import { openLog } from "../../src/ingest/log.ts";
import { encodeRecord, type RequestRecord } from "../../src/ingest/record.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createDayBook } from "../../src/warehouse/day-book.ts";
import { insertBatch } from "../../src/warehouse/insert-batch.ts";
import { decodeRow } from "../../src/warehouse/row-binary.ts";
import { createTransform } from "../../src/warehouse/transform.ts";
import { createTransformThread } from "../../src/warehouse/transform-thread.ts";
import { startWriter } from "../../src/warehouse/writer.ts";
import { quietLog } from "../support/control.ts";
import { sampleEvent } from "../support/events.ts";
import { waitFor } from "../support/wait.ts";
import { selectNumber, startTestWarehouse, type TestWarehouse } from "../support/warehouse.ts";

const RECEIVED_AT = Date.UTC(2026, 10, 15, 12, 0, 30);

function logged(projectId: string, events: readonly object[], place: string) {
  const record: RequestRecord = {
    projectId,
    workspaceId: "w",
    receivedAtMs: RECEIVED_AT,
    rules: "tracked",
    lines: false,
    idBase: "msg_x",
  };
  return { payload: Buffer.concat(encodeRecord(record, Buffer.from(JSON.stringify(events)))), place };
}

describe("the writer's way into a real engine", () => {
  let warehouse: TestWarehouse;
  let engine: AnalyticsEngine;
  before(async () => {
    warehouse = await startTestWarehouse();
    engine = warehouse.engine;
  });
  after(() => warehouse.stop());
  const transform = createTransform();
  const deps = () => ({
    engine,
    dayBook: createDayBook(engine, systemClock),
    log: quietLog,
    signal: new AbortController().signal,
  });
  const stored = (project: string) =>
    selectNumber(engine, `SELECT count() AS n FROM events FINAL WHERE project_id = '${project}'`);

  test("rows the engine refuses are found one by one and parked; the others are stored, and the ledger knows", async () => {
    const batch = transform([
      logged(
        "poison",
        Array.from({ length: 100 }, (_, i) => sampleEvent(`p-${i}`)),
        "n-1.0",
      ),
    ]);
    await engine.command("ALTER TABLE events ADD CONSTRAINT no_poison CHECK message_id NOT IN ('p-17', 'p-63')");
    const entries = await insertBatch(deps(), batch, "token-poison");
    await engine.command("ALTER TABLE events DROP CONSTRAINT no_poison");
    const parkedEntries = entries.filter(({ outcome }) => outcome === "parked");
    assert.deepEqual(
      parkedEntries.map(({ reason, events }) => ({ reason, events })),
      [{ reason: "warehouse_refused", events: 2 }],
    );
    assert.equal(await stored("poison"), 98);
    const { data: parked } = await engine.selectJson<{ reason: string; message_id: string; details: string }>(
      "SELECT reason, message_id, details FROM parked_events FINAL WHERE project_id = 'poison' ORDER BY message_id",
    );
    for (const { details } of parked) {
      assert.match(String(JSON.parse(details)), /no_poison/, "what the engine said");
      assert.ok(details.length < 1_200);
    }
    assert.deepEqual(
      parked.map(({ reason, message_id }) => ({ reason, message_id })),
      [
        { reason: "warehouse_refused", message_id: "p-17" },
        { reason: "warehouse_refused", message_id: "p-63" },
      ],
    );
    const { data: ledger } = await engine.selectJson(
      "SELECT outcome, events FROM ledger FINAL WHERE project_id = 'poison' ORDER BY outcome",
    );
    assert.deepEqual(ledger, [
      { outcome: "parked", events: 2 },
      { outcome: "written", events: 98 },
    ]);
  });

  test("a record that cannot be read is parked whole, under a reason that no client can cause, and holds nothing up", async () => {
    const good = logged("torn", [sampleEvent("t-1")], "n-3.2");
    const record: RequestRecord = {
      projectId: "torn",
      workspaceId: "w",
      receivedAtMs: RECEIVED_AT,
      rules: "tracked",
      lines: false,
      idBase: "x",
    };
    const bad = [{ ...record, clean: true } as const, record].map((one, i) => ({
      payload: Buffer.concat(encodeRecord(one, Buffer.from("{oops"))),
      place: `n-3.${i}`,
    }));
    await insertBatch(deps(), transform([...bad, good]), "token-torn");
    assert.equal(await stored("torn"), 1);
    const { data } = await engine.selectJson<{ reason: string; raw: string; details: string }>(
      "SELECT reason, raw, details FROM parked_events FINAL WHERE project_id = 'torn' ORDER BY id",
    );
    assert.deepEqual(
      data.map(({ reason, raw }) => ({ reason, raw })),
      Array.from(bad, () => ({ reason: "unreadable_record", raw: "{oops" })),
    );
    for (const { details } of data) assert.match(String(JSON.parse(details)), /JSON/, "what was wrong with it");
  });

  test("the same batch again, after any of its inserts failed or after all, changes no count", async () => {
    const batch = transform([logged("again", [sampleEvent("a-1"), sampleEvent("a-2"), { type: 1 }], "n-2.0")]);
    for (const table of ["event_days", "events", "parked_events", "ledger"]) {
      const stop = new AbortController();
      const cut: AnalyticsEngine = {
        ...engine,
        async insert(call) {
          const done = await engine.insert(call);
          if (call.table === table) stop.abort(new Error("cut"));
          stop.signal.throwIfAborted();
          return done;
        },
      };
      const dayBook = createDayBook(cut, systemClock);
      const broken = { engine: cut, dayBook, log: quietLog, signal: stop.signal };
      await assert.rejects(insertBatch(broken, batch, "token-again"), /cut/);
    }
    await insertBatch(deps(), batch, "token-again");
    await insertBatch(deps(), batch, "token-again");
    await insertBatch(deps(), batch, "token-of-another-node");
    assert.equal(await stored("again"), 2);
    assert.equal(
      await selectNumber(engine, "SELECT count() AS n FROM parked_events FINAL WHERE project_id = 'again'"),
      1,
    );
    const written = "SELECT sum(events) AS n FROM ledger FINAL WHERE project_id = 'again' AND outcome = 'written'";
    assert.equal(await selectNumber(engine, written), 4, "two batches that really came twice count twice as received");
  });

  test("a visitor is the anonymous id, else the user, else the address; a session the client's own or the visitor's day", async () => {
    const address = "0x52908400098527886E0F7030069857D2E4169EE7";
    const at = (time: string) => ({ original_timestamp: time, sent_at: time, channel: "server" });
    const [morning, night, next] = ["2026-03-10T00:00:00Z", "2026-03-10T23:59:59.999Z", "2026-03-11T00:00:00Z"].map(at);
    const own = { context: JSON.stringify({ session_id: "s1" }) };
    const cases: [id: string, fields: Record<string, unknown>][] = [
      ["anonymous", { ...morning, anonymous_id: "a", user_id: "u", address }],
      ["user", { ...morning, anonymous_id: "", user_id: "a", address }],
      ["wallet", { ...morning, anonymous_id: "", user_id: "", address }],
      ["wallet-again", { ...morning, anonymous_id: "", user_id: "", address: address.toLowerCase() }],
      ["late", { ...night, anonymous_id: "a" }],
      ["next-day", { ...next, anonymous_id: "a" }],
      ["own", { ...night, ...own, anonymous_id: "a" }],
      ["own-of-another", { ...morning, ...own, anonymous_id: "b" }],
      ["own-next-day", { ...next, ...own, anonymous_id: "a" }],
      ["named-like-it", { ...morning, anonymous_id: "s1" }],
    ];
    const batch = transform([
      logged(
        "who",
        cases.map(([id, fields]) => sampleEvent(id, fields)),
        "n-who",
      ),
    ]);
    await insertBatch(deps(), batch, "token-who");
    const same = async (column: string) => {
      const { data } = await engine.selectJson<{ ids: string[] }>(
        `SELECT arraySort(groupArray(message_id)) AS ids FROM events FINAL WHERE project_id = 'who' GROUP BY ${column} ORDER BY ids`,
      );
      return data.map(({ ids }) => ids.join(" "));
    };
    assert.deepEqual(await same("visitor"), [
      "anonymous late next-day own own-next-day user",
      "named-like-it",
      "own-of-another",
      "wallet wallet-again",
    ]);
    assert.deepEqual(await same("session"), [
      "anonymous late user",
      "named-like-it",
      "next-day",
      "own own-of-another",
      "own-next-day",
      "wallet wallet-again",
    ]);
  });

  test("the copy that arrived first is kept", async () => {
    const { events } = transform([logged("first", [sampleEvent("f-1")], "n")]);
    const early = decodeRow(events);
    const late = { ...early, first: Number(early.first) - 60_000, user_id: "late" };
    await engine.insert({ table: "events", body: Buffer.from(JSON.stringify(late)) });
    await engine.insert({ table: "events", body: Buffer.from(JSON.stringify(early)) });
    const { data } = await engine.selectJson("SELECT user_id FROM events FINAL WHERE project_id = 'first'");
    assert.deepEqual(data, [{ user_id: "" }]);
  });

  test("it drains what is there, waits out an engine that is away, and stores what comes at once", async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "writer-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const cursor = await openCursor(nodeFiles, join(dir, "cursor"));
    const log = await openLog({
      dir: join(dir, "log"),
      files: nodeFiles,
      clock: systemClock,
      logger: quietLog,
      segmentBytes: 64 * 1024,
    });
    const thread = createTransformThread();
    let away = true;
    let tries = 0;
    const flaky: AnalyticsEngine = {
      ...engine,
      insert: (call) => {
        tries += 1;
        return away ? Promise.reject(new EngineDown("away")) : engine.insert(call);
      },
    };
    const observe = { stored: () => undefined, fresh: () => undefined, retried: () => undefined };
    const append = (id: string) => log.append(logged("drain", [sampleEvent(id)], "").payload);
    for (let i = 0; i < 300; i += 1) await append(`d-${i}`);
    const writer = startWriter({
      nodeId: "node",
      log,
      cursor,
      engine: flaky,
      transform: thread,
      clock: systemClock,
      logger: quietLog,
      observe,
    });
    await waitFor("a few tries", () => tries >= 3);
    assert.equal(await stored("drain"), 0);
    assert.equal(cursor.get().done.segment, 0, "the cursor stays while nothing is stored");
    assert.ok(log.stats().segments > 1);
    away = false;
    await waitFor("the log to drain", async () => (await stored("drain")) === 300);
    await append("d-last");
    await waitFor("the last one", async () => (await stored("drain")) === 301, 1_000);
    await waitFor("the log to be released", () => log.stats().segments === 1);
    await writer.stop();
    await log.close();
    await thread.close();
    await cursor.close();
  });
});
