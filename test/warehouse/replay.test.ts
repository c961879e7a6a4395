import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { unpackLines } from "../../src/backup/packed-file.ts";
import { saveWarehouse } from "../../src/backup/warehouse-files.ts";
import { type AnalyticsEngine, connectAnalytics, type ReadOptions } from "../../src/engines/analytics.ts";
import { encodeRecord, type RequestRecord } from "../../src/ingest/record.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { createDayBook } from "../../src/warehouse/day-book.ts";
import { readLedger } from "../../src/warehouse/events-admin.ts";
import { insertBatch } from "../../src/warehouse/insert-batch.ts";
import { listParked, readParked } from "../../src/warehouse/parked.ts";
import { replayParked } from "../../src/warehouse/replay.ts";
import { createTransform } from "../../src/warehouse/transform.ts";
import { quietLog } from "../support/control.ts";
import { sampleEvent } from "../support/events.ts";
import { selectNumber, startTestWarehouse, type TestWarehouse } from "../support/warehouse.ts";

/** Ten megabytes each, which together are most of what a query may use there. */
const LARGE = 12;
const MINUTE = Date.UTC(2026, 10, 15, 12, 0);

async function collect<T>(pages: AsyncIterable<T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

describe("another try for parked events", () => {
  let warehouse: TestWarehouse;
  let engine: AnalyticsEngine;
  before(async () => {
    warehouse = await startTestWarehouse();
    engine = warehouse.engine;
  });
  after(() => warehouse.stop());
  const transform = createTransform();
  const store = (
    project: string,
    events: readonly object[],
    receivedAtMs = MINUTE + 30_000,
    request: Partial<RequestRecord> = {},
  ) => {
    const common = { projectId: project, workspaceId: "w", rules: "tracked", lines: false, idBase: "x" } as const;
    const record: RequestRecord = { ...common, receivedAtMs, ...request };
    const payload = Buffer.concat(encodeRecord(record, Buffer.from(JSON.stringify(events))));
    const dayBook = createDayBook(engine, systemClock);
    const deps = { engine, dayBook, log: quietLog, signal: new AbortController().signal };
    return insertBatch(deps, transform([{ payload, place: `n-${receivedAtMs}` }]), `token-${project}-${receivedAtMs}`);
  };
  const stored = (project: string) =>
    selectNumber(engine, `SELECT count() AS n FROM events FINAL WHERE project_id = '${project}'`);

  test("is made by every rule of the door: what is too large or too deep stays parked", async () => {
    let deep: unknown = 1;
    for (let i = 0; i < 40; i += 1) deep = { deep };
    const large = { text: "x".repeat(300 * 1024) };
    await store("limits", [sampleEvent("l-1", { properties: deep }), sampleEvent("l-2", { properties: large })]);
    const reasons = async () =>
      (await collect(listParked(engine, ["limits"], { limit: 10 }))).map((parked) => parked.reason).toSorted();
    assert.deepEqual(await reasons(), ["too_deep", "too_large"]);
    assert.deepEqual(await replayParked(engine, ["limits"], { rules: "raw" }), { stored: 0, stillInvalid: 2 });
    assert.deepEqual(await reasons(), ["too_deep", "too_large"]);
  });

  test("goes over 2,500 of them in pages; one that the engine refuses stays, and holds up none of the others", async () => {
    const short = { type: "page", channel: "web", version: "0", anonymous_id: "v" };
    const events = Array.from({ length: 2_500 }, (_, i) => ({ ...short, message_id: `many-${i}` }));
    await store("many", events);
    await engine.command("ALTER TABLE events ADD CONSTRAINT not_it CHECK message_id != 'many-1700'");
    const pages: number[] = [];
    const progress = ({ stored, stillInvalid }: { stored: number; stillInvalid: number }) =>
      pages.push(stored + stillInvalid);
    const result = await replayParked(engine, ["many"], { rules: "raw" }, progress);
    await engine.command("ALTER TABLE events DROP CONSTRAINT not_it");
    assert.deepEqual(result, { stored: 2_499, stillInvalid: 1 });
    assert.deepEqual(pages, [1_000, 2_000, 2_500]);
    assert.equal(await stored("many"), 2_499);
    assert.deepEqual(await replayParked(engine, ["many"], { rules: "raw" }), { stored: 1, stillInvalid: 0 });
  });

  test("of an event that was parked twice stores one, whether its id came with it or with an Idempotency-Key", async () => {
    const short = { type: "page", channel: "web", version: "0", anonymous_id: "v" };
    const send = (receivedAtMs: number) =>
      store("twice", [sampleEvent("ok"), short, { ...short, message_id: "own" }], receivedAtMs, {
        idBase: "msg_same",
        repeatable: true,
      });
    await send(MINUTE);
    // The client's second try comes a day later, and finds another place in the log.
    await send(MINUTE + DAY_MS);
    assert.deepEqual(await replayParked(engine, ["twice"], { rules: "raw" }), { stored: 4, stillInvalid: 0 });
    const { data } = await engine.selectJson<{ id: string }>(
      "SELECT message_id AS id FROM events FINAL WHERE project_id = 'twice' ORDER BY id",
    );
    assert.deepEqual(
      data.map(({ id }) => id),
      ["msg_same-1", "ok", "own"],
    );
    const lines = await readLedger(engine, ["twice"], { fromMs: MINUTE, toMs: MINUTE + 2 * DAY_MS });
    assert.deepEqual(
      lines.map(({ received, stored, duplicate, parked }) => ({ received, stored, duplicate, parked })),
      [
        { received: 3, stored: 3, duplicate: 0, parked: 0 },
        { received: 3, stored: 0, duplicate: 3, parked: 0 },
      ],
    );
  });

  test("is in a backup that is taken meanwhile", async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "backup-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    await store("saved", [{ type: "page", channel: "web", version: "0", anonymous_id: "v", message_id: "replayed" }]);
    let tables = 0;
    // The replay comes after the first table has been read, whichever that is.
    const meanwhile: AnalyticsEngine = {
      ...engine,
      async *select<T>(sql: string, options?: ReadOptions) {
        tables += 1;
        if (tables === 2)
          assert.deepEqual(await replayParked(engine, ["saved"], { rules: "raw" }), { stored: 1, stillInvalid: 0 });
        yield* engine.select<T>(sql, options);
      },
    };
    const files = await saveWarehouse(meanwhile, "sextant", dir, () => undefined);
    const events: string[] = [];
    for (const { path, table } of files)
      if (table === "events") for await (const line of unpackLines(join(dir, path))) events.push(line);
    assert.equal(events.filter((line) => line.includes("\treplayed\t")).length, 1);
  });

  test("the ledger finds the events of a minute by an index, however many there are", async () => {
    const day = MINUTE - (MINUTE % DAY_MS);
    await engine.command(`INSERT INTO events (project_id, day, message_id, timestamp, first)
      SELECT 'full', toDate(${day / 1000}) - intDiv(number, 20000), toString(sipHash64(number)), ${day / 1000}, 9007199254740991 - (${day} - number * 4320)
      FROM numbers(600000)`);
    await store("full", [sampleEvent("f-1")]);
    let read = 0;
    const watched = {
      async selectJson<T>(sql: string, options?: ReadOptions) {
        const answer = await engine.selectJson<T>(sql, options);
        read = answer.statistics.rows_read;
        return answer;
      },
    };
    const [line] = await readLedger(watched, ["full"], { fromMs: MINUTE, toMs: MINUTE + 60_000 });
    assert.deepEqual([line?.stored, line?.duplicate], [1, 0]);
    assert.ok(read < 100_000, `${read} rows were read for one`);
  });

  test("the ledger counts whole minutes, whatever seconds its window begins and ends with", async () => {
    await store("minutes", [sampleEvent("m-1")], MINUTE + 5_000);
    await store("minutes", [sampleEvent("m-2"), sampleEvent("m-2")], MINUTE + 50_000);
    await store("minutes", [sampleEvent("m-3")], MINUTE + 70_000);
    const whole = await readLedger(engine, ["minutes"], { fromMs: MINUTE, toMs: MINUTE + 120_000 });
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

  test("reads no more of them at once than fits in memory, however large they are", async () => {
    const raw = (i: number) => JSON.stringify({ nr: i, text: String.fromCharCode(97 + i).repeat(10_000_000) });
    const common = { project_id: "large", reason: "too_large", details: "{}", rules: "tracked", country: "" };
    for (let i = 0; i < LARGE; i += 1) {
      const row = { ...common, received_at: MINUTE + i, id: `large-${i}`, message_id: "", raw: raw(i) };
      await engine.insert({ table: "parked_events", body: Buffer.from(JSON.stringify(row)) });
    }
    const { username, password } = warehouse.host.engine;
    const url = () => warehouse.host.engine.url();
    const limits = { queryMemoryBytes: 150_000_000 };
    const small = connectAnalytics({ url, username, password, database: "sextant", limits });
    try {
      const heads = await collect(listParked(small, ["large"], { limit: 100 }));
      assert.deepEqual(
        heads.map(({ id, head, raw_bytes }) => [id, head.length, raw_bytes]),
        Array.from({ length: LARGE }, (_, i) => [`large-${LARGE - 1 - i}`, 200, raw(LARGE - 1 - i).length]),
      );
      let count = 0;
      for await (const [parked, ...others] of readParked(small, ["large"], { limit: 3 })) {
        assert.deepEqual([parked?.raw, others], [raw(LARGE - 1 - count), []]);
        count += 1;
      }
      assert.equal(count, 3);
      const writing = { ...engine, selectJson: small.selectJson };
      assert.deepEqual(await replayParked(writing, ["large"], {}), { stored: 0, stillInvalid: LARGE });
    } finally {
      await small.close();
    }
  });
});
