import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Rows } from "../../../src/engines/clickhouse/database.ts";
import { createMarks, LATE } from "../../../src/engines/clickhouse/mark-dirty.ts";
import { openBatchStore } from "../../../src/engines/clickhouse/store-batch.ts";
import { toEventRows } from "../../../src/engines/clickhouse/store-events.ts";
import { EVENT_COLUMNS, EVENT_HEAD } from "../../../src/engines/event-columns.ts";
import { EngineDown, EngineRefused } from "../../../src/engines/failures.ts";
import { decodeRow, encodeExportedRows } from "../../../src/engines/row-binary.ts";
import { DAY_MS, dayOf } from "../../../src/lib/time.ts";

const NOW_MS = Date.parse("2026-03-05T12:00:00Z");
const TODAY = "2026-03-05";
const { signal } = new AbortController();

/** Takes rows as `insert` says, and remembers them. */
function fakeClickhouse(insert: (rows: Rows) => void = () => undefined) {
  const sent: Rows[] = [];
  const clickhouse = {
    async insert(rows: Rows) {
      insert(rows);
      sent.push(rows);
    },
  };
  const linesOf = (table: string) =>
    sent
      .filter((rows) => rows.table === table)
      .flatMap(({ body }) => Buffer.from(body).toString().split("\n"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { clickhouse, sent, linesOf };
}

const partition = (day: string) => ({ project_id: "p", day, dedupe_day: day });

describe("marks of partitions", () => {
  test("are written once for today, and each time for a past day, by ClickHouse's clock", async () => {
    const { clickhouse, linesOf } = fakeClickhouse();
    const marks = createMarks(clickhouse, () => NOW_MS);
    for (let batch = 0; batch < 2; batch += 1)
      await marks.mark([partition(TODAY), partition("2026-03-01")], NOW_MS - 1_000);
    assert.deepEqual(linesOf("dirty_partitions"), [
      { ...partition(TODAY), dirty_at: 0 },
      partition("2026-03-01"),
      partition("2026-03-01"),
    ]);
  });

  test("are also written for today after a delayed batch, and again when a new day begins", async () => {
    const { clickhouse, linesOf } = fakeClickhouse();
    let nowMs = NOW_MS;
    const marks = createMarks(clickhouse, () => nowMs);
    await marks.mark([partition(TODAY)], nowMs);
    await marks.mark([partition(TODAY)], nowMs - 120_000);
    await marks.mark([partition(TODAY)], LATE);
    nowMs += DAY_MS;
    await marks.mark([partition(dayOf(nowMs))], nowMs);
    assert.deepEqual(linesOf("dirty_partitions"), [
      { ...partition(TODAY), dirty_at: 0 },
      partition(TODAY),
      partition(TODAY),
      { ...partition(dayOf(nowMs)), dirty_at: 0 },
    ]);
  });
});

describe("a batch on its way to ClickHouse", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "clickhouse-store-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const range = { from: { segment: 0, offset: 0 }, to: { segment: 1, offset: 100 }, token: "n:1" };
  const open = (clickhouse: ReturnType<typeof fakeClickhouse>["clickhouse"], onRetry?: (cause: unknown) => void) =>
    openBatchStore(
      { clickhouse, marks: createMarks(clickhouse, () => NOW_MS) },
      { nodeId: "n", cursorFile: join(dir, "cursor"), ...(onRetry ? { onRetry } : {}) },
    );

  test("marks partitions, is stored under its token, and is counted, in this order", async () => {
    const { clickhouse, sent, linesOf } = fakeClickhouse();
    const store = await open(clickhouse);
    const { durable } = await store.store(batchOf(["a", "b"]), range, signal);
    assert.deepEqual(durable, range.to);
    assert.deepEqual(
      sent.map(({ table, dedupeToken }) => [table, dedupeToken]),
      [
        ["dirty_partitions", undefined],
        ["events_rows", "n:1"],
        ["ledger_rows", undefined],
      ],
    );
    const [entry] = linesOf("ledger_rows");
    assert.deepEqual([entry?.outcome, entry?.events, entry?.batch, entry?.minute], ["written", 2, "n:1", NOW_MS]);
    await store.close();
  });

  test("is identical after a crash, from the same position", async () => {
    const stop = new AbortController();
    const { clickhouse } = fakeClickhouse(({ table }) => {
      if (table === "ledger_rows") stop.abort(new Error("killed"));
      stop.signal.throwIfAborted();
    });
    const store = await open(clickhouse);
    await assert.rejects(store.store(batchOf(["a"]), range, stop.signal), { message: "killed" });
    await store.close();
    const again = await open(fakeClickhouse().clickhouse);
    assert.deepEqual(await again.position(), { done: range.from, pendingEnd: range.to });
    await again.store(batchOf(["a"]), range, signal);
    assert.deepEqual(await again.position(), { done: range.to });
    await again.close();
  });

  test("is retried until ClickHouse is back, and marks its partitions again each time", async () => {
    let failures = 3;
    const { clickhouse, linesOf } = fakeClickhouse(({ table }) => {
      if (table === "events_rows" && failures > 0) {
        failures -= 1;
        throw new EngineDown("ECONNREFUSED");
      }
    });
    let retries = 0;
    const store = await open(clickhouse, () => {
      retries += 1;
    });
    await store.store(batchOf(["a"], "2026-03-01"), range, signal);
    assert.equal(retries, 3);
    assert.equal(linesOf("dirty_partitions").length, 4);
    await store.close();
  });

  test("parks a row that is refused and stores all others", async () => {
    const { clickhouse, sent, linesOf } = fakeClickhouse(({ table, body }) => {
      if (table === "events_rows" && Buffer.from(body).includes("bad"))
        throw new EngineRefused("Code: 469. DB::Exception: Constraint", { code: 469 });
    });
    const store = await open(clickhouse);
    const { ledger } = await store.store(batchOf(["a", "b", "bad", "c"]), range, signal);
    const outcomes = ledger.map(({ outcome, reason, events }) => [outcome, reason, events]);
    assert.deepEqual(outcomes, [
      ["stored", "", 3],
      ["parked", "warehouse_refused", 1],
    ]);
    const tokens = sent.filter(({ table }) => table === "events_rows").map(({ dedupeToken }) => dedupeToken);
    assert.deepEqual(tokens, ["n:1a", "n:1bb"]);
    const [parked] = linesOf("parked_rows");
    assert.deepEqual([parked?.message_id, parked?.rules, parked?.reason], ["bad", "row", "warehouse_refused"]);
    const raw = linesOf("parked_pieces")
      .map(({ text }) => text)
      .join("");
    assert.equal((JSON.parse(raw) as { received_at: number }).received_at, NOW_MS);
    await store.close();
  });

  test("gives the earliest event the largest dedupe version, and leaves the rest unchanged", () => {
    const { events, starts } = batchOf(["a", "b"]);
    const rows = toEventRows(events, starts);
    for (const start of starts) {
      const at = start + EVENT_HEAD.received_at;
      assert.equal(rows.readBigUInt64LE(at), BigInt(Number.MAX_SAFE_INTEGER - NOW_MS));
      rows.writeBigInt64LE(BigInt(NOW_MS), at);
    }
    const before = Buffer.concat(events);
    assert.deepEqual(rows, before);
    assert.equal(decodeRow(before.subarray(starts[0], starts[1])).received_at, NOW_MS);
  });
});

function batchOf(ids: readonly string[], day = TODAY) {
  const timestamp = Date.parse(`${day}T11:00:00Z`);
  const nothing = Object.fromEntries(
    EVENT_COLUMNS.filter(([, kind]) => kind !== "hash").map(([name, kind]) => [name, kind === "text" ? "" : 0]),
  );
  const key = { project_id: "p", dedupe_day: day, timestamp, received_at: NOW_MS };
  const { bytes, starts } = encodeExportedRows(ids.map((message_id) => ({ ...nothing, ...key, message_id })));
  const counted = { project_id: "p", minute: NOW_MS / 1000, outcome: "stored", reason: "", day } as const;
  return {
    form: "rows" as const,
    events: [bytes],
    starts,
    eventCount: ids.length,
    parked: Buffer.alloc(0),
    partitions: [partition(day)],
    ledger: [{ ...counted, events: ids.length }],
    firstReceivedAtMs: NOW_MS,
  };
}
