import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { comparePositions, type Position } from "../ingest/log-position.ts";
import type { LogRecord, ReadLimits } from "../ingest/log-read.ts";
import { BatchReader } from "./batch-reader.ts";
import { emptyBatch } from "./testing.ts";
import type { Batch } from "./transform.ts";

const MIB = 1024 * 1024;
const START: Position = { segment: 1, offset: 0 };

/** A log with records of these sizes. */
function openLog(sizes: readonly number[]) {
  const known: LogRecord[] = [];
  let waiting: (() => void) | undefined;
  const log = {
    end: (): Position => known.at(-1)?.next ?? START,
    async read(from: Position, { maxBytes, maxRecords }: ReadLimits) {
      const records: LogRecord[] = [];
      let bytes = 0;
      for (const record of known.filter(({ position }) => position.offset >= from.offset).slice(0, maxRecords)) {
        bytes += record.size;
        if (records.length > 0 && bytes > maxBytes) break;
        records.push(record);
      }
      return { records, next: records.at(-1)?.next ?? from };
    },
    waitBeyond(at: Position, signal?: AbortSignal) {
      return new Promise<void>((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        waiting = () => (comparePositions(log.end(), at) > 0 ? resolve() : undefined);
        waiting();
      });
    },
    append(size: number): void {
      const position = log.end();
      const next = { segment: 1, offset: position.offset + size };
      known.push({ payload: Buffer.alloc(0), check: known.length, size, position, next });
      waiting?.();
    },
  };
  for (const size of sizes) log.append(size);
  return log;
}

function open(t: TestContext, sizes: readonly number[], until?: Position) {
  const log = openLog(sizes);
  const pieces: number[] = [];
  const ending = new AbortController();
  t.after(() => ending.abort());
  const transform = {
    allocate: Buffer.alloc,
    async run(records: readonly { recordId: string }[]): Promise<Batch> {
      pieces.push(records.length);
      return { ...emptyBatch("columns", records.length), events: [Buffer.from(`piece ${pieces.length}`)] };
    },
  };
  let wakes = 0;
  const onWake = () => {
    wakes += 1;
  };
  const reader = new BatchReader({ nodeId: "n", log, transform, onWake }, START, until, ending.signal);
  return { log, reader, pieces, ending, wakes: () => wakes };
}

describe("a batch of the log", () => {
  test("is taken at once by an idle engine", async (t) => {
    const { reader } = open(t, [100]);
    const { end, rows } = await reader.take();
    assert.deepEqual([end.offset, rows.eventCount], [100, 1]);
    assert.equal(reader.isIdle(), true);
  });

  test("has what came while the one before it was stored, in pieces that were transformed meanwhile", async (t) => {
    const { log, reader, pieces } = open(t, [100]);
    await reader.take();
    reader.storing();
    for (let nth = 0; nth < 12; nth += 1) log.append(1.5 * MIB);
    await until(() => pieces.length === 4);
    assert.deepEqual(pieces, [1, 4, 4, 4], "three full pieces");
    reader.stored();
    const { end, rows } = await reader.take();
    assert.deepEqual([end.offset, rows.eventCount, rows.events.length], [100 + 18 * MIB, 12, 3]);
  });

  test("ends before its limit, and the log is read no further than the batch after it", async (t) => {
    const { reader, pieces } = open(
      t,
      Array.from({ length: 40 }, () => 3.25 * MIB),
    );
    reader.storing();
    await until(() => pieces.length === 4);
    const { end, rows } = await reader.take();
    assert.deepEqual([end.offset, rows.events.length], [26 * MIB, 4]);
    reader.storing();
    await until(() => pieces.length === 8);
    await turns();
    assert.equal(pieces.length, 8);
  });

  test("is all that waits where it is full by the number of its records", async (t) => {
    const { reader, pieces } = open(
      t,
      Array.from({ length: 60_000 }, () => 400),
    );
    reader.storing();
    await until(() => pieces.length === 4);
    await turns();
    assert.deepEqual(pieces, [5_000, 5_000, 5_000, 5_000]);
    assert.equal((await reader.take()).rows.eventCount, 20_000);
  });

  test("waits for no more than it may have: a full one is taken before it is due", async (t) => {
    const { log, reader } = open(t, [100]);
    await reader.take();
    // Until it is stored, nobody knows when the next one is due.
    reader.storing();
    for (let nth = 0; nth < 20; nth += 1) log.append(3 * MIB);
    assert.equal((await reader.take()).rows.eventCount, 8);
  });

  test("ends where it did when a crash interrupted it, whatever came since", async (t) => {
    const { reader } = open(t, [MIB, MIB, 100, 100], { segment: 1, offset: 2 * MIB + 100 });
    const first = await reader.take();
    assert.deepEqual([first.end.offset, first.rows.eventCount], [2 * MIB + 100, 3]);
    assert.equal((await reader.take()).end.offset, 2 * MIB + 200);
  });

  test("has the same token whatever the pieces it was read in", async (t) => {
    const sizes = Array.from({ length: 6 }, () => 3 * MIB);
    const { reader, pieces } = open(t, sizes);
    reader.storing();
    await until(() => pieces.length === 3);
    reader.stored();
    const inPieces = await reader.take();
    const atOnce = await open(t, sizes, inPieces.end).reader.take();
    assert.equal(inPieces.token, atOnce.token);
    assert.deepEqual([inPieces.rows.events.length, atOnce.rows.events.length], [3, 1]);
  });

  test("that was interrupted is stored alone, however late it is taken", async (t) => {
    const { reader, pieces } = open(t, [MIB, 100, 100], { segment: 1, offset: MIB });
    await until(() => pieces.length === 2);
    assert.equal((await reader.take()).end.offset, MIB);
  });

  test("fails when the reader is ended, also while it reads where the log has no record", async (t) => {
    const { log, reader, ending } = open(t, []);
    const { promise: isReading, resolve: reading } = Promise.withResolvers<void>();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    log.read = async (from) => {
      reading();
      await held;
      return { records: [], next: { segment: 2, offset: from.offset } };
    };
    const taken = assert.rejects(reader.take(), /the run has ended/);
    log.append(100);
    await isReading;
    ending.abort(new Error("the run has ended"));
    release();
    await taken;
  });

  test("tells of events only when they come after all others were taken", async (t) => {
    const { log, reader, pieces, ending, wakes } = open(t, []);
    await until(() => reader.isIdle());
    log.append(100);
    await until(() => pieces.length === 1);
    assert.equal(wakes(), 1);
    log.append(100);
    await until(() => pieces.length === 2);
    assert.equal(wakes(), 1, "the first one waits for the engine");
    await reader.take();
    await until(() => reader.isIdle());
    ending.abort();
    await turns();
    assert.equal(wakes(), 1, "no event came");
  });

  test("fails with the log: the writer starts over", async (t) => {
    const { log, reader } = open(t, []);
    log.read = () => Promise.reject(new Error("a stored record does not check"));
    log.append(100);
    await assert.rejects(reader.take(), /does not check/);
  });
});

/** Lets everything run that waits for nothing: the log of these tests answers at once. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}

async function until(isTrue: () => boolean): Promise<void> {
  for (const startedAt = performance.now(); !isTrue(); await new Promise((resolve) => setTimeout(resolve, 5)))
    assert.ok(performance.now() - startedAt < 5_000, "within 5 s");
}
