import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { LogUnavailable } from "../../src/ingest/log-errors.ts";
import { comparePositions, LOG_START, type Position } from "../../src/ingest/log-position.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { nodeFiles } from "../../src/lib/files.ts";
import { SEED } from "../../src/lib/testing.ts";
import { createFaultyFiles, openTestLog, readTexts, type TestLog } from "../support/faulty-files.ts";

let dir: string;
let log: TestLog;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "log-"));
});
afterEach(async () => {
  await log.close();
  rmSync(dir, { recursive: true });
});

const text = (value: string) => Buffer.from(value);
const segmentFiles = () => readdirSync(dir).filter((name) => name.endsWith(".log"));
const refusedAs = (reason: string) => (cause: unknown) =>
  cause instanceof LogUnavailable && cause.reason === reason && cause.retryAfterMs > 0;

describe("appending", () => {
  it("returns appended records in order, also after reopening", async () => {
    log = await openTestLog(dir);
    const wanted = Array.from({ length: 500 }, (_, i) => `event ${i} ${"x".repeat(i)}`);
    const positions = await Promise.all(wanted.map((each) => log.append(text(each))));
    assert.deepEqual(positions, positions.toSorted(comparePositions));
    assert.deepEqual(await readTexts(log), wanted);
    await log.close();
    log = await openTestLog(dir);
    assert.deepEqual(await readTexts(log), wanted);
  });

  it("joins the parts of a record, and keeps empty ones and large ones", async () => {
    log = await openTestLog(dir, { segmentBytes: 1000 });
    const large = "y".repeat(6 * 1024 * 1024);
    await Promise.all([log.append([text("a"), text(""), text("bc")]), log.append([]), log.append(text(large))]);
    assert.deepEqual(await readTexts(log), ["abc", "", large]);
    await assert.rejects(log.append(Buffer.alloc(33 * 1024 * 1024)), RangeError);
  });

  it("has a copy of a record when it returns: sizes around its blocks, and a queue of many, stay as they were", async () => {
    log = await openTestLog(dir);
    const sizes = [1, 900, 40_000, 262_100, 262_128, 262_129, 300_000, 1_048_560, 1_100_000];
    const memory = Buffer.alloc(1_100_000);
    const wanted: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const appended = sizes.flatMap((size) =>
        Array.from({ length: 4 }, (_, nth) => {
          const payload = memory.fill(`${round} ${size} ${nth} `).subarray(0, size);
          wanted.push(payload.toString());
          return log.append(payload);
        }),
      );
      memory.fill(0);
      await Promise.all(appended.slice(round));
    }
    assert.ok((await readTexts(log)).every((read, nth) => read === wanted[nth]));
    assert.equal((await readTexts(log)).length, wanted.length);
  });

  it("acknowledges an append only after its write and fdatasync", async () => {
    const { files, trace } = createFaultyFiles(() => undefined);
    log = await openTestLog(dir, { files });
    for (let i = 0; i < 20; i += 1) {
      const before = trace.length;
      const { offset } = await log.append(text(`event ${i}`));
      const calls = trace.slice(before);
      assert.deepEqual(
        calls.map((call) => call.op),
        ["write", "fdatasync"],
      );
      assert.equal(calls[0]?.offset, offset);
    }
  });

  it("commits records that arrive together with one sync, and later ones with the next", async () => {
    log = await openTestLog(dir);
    await Promise.all(Array.from({ length: 1000 }, () => log.append(Buffer.alloc(1000))));
    assert.ok(log.stats().fsyncs <= 2, `1,000 appends took ${log.stats().fsyncs} syncs`);
    const clients = Array.from({ length: 64 }, async () => {
      for (let i = 0; i < 20; i += 1) await log.append(Buffer.alloc(100));
    });
    await Promise.all(clients);
    assert.equal(log.stats().records, 2280);
    assert.ok(log.stats().fsyncs < 80, `64 clients with 20 appends each took ${log.stats().fsyncs} syncs`);
  });

  it("refuses beyond the bytes that may wait, and accepts again when they are synced", async () => {
    log = await openTestLog(dir, { maxQueuedBytes: 10_000 });
    const outcomes = Array.from({ length: 20 }, () => log.append(Buffer.alloc(984)));
    assert.equal(log.stats().queuedBytes, 10_000);
    const settled = await Promise.allSettled(outcomes);
    const refused = settled.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    assert.equal(refused.length, 10);
    assert.ok(refused.every(refusedAs("full_queue")));
    assert.equal(log.stats().queuedBytes, 0);
    await log.append(Buffer.alloc(20_000));
  });

  it("refuses when its disk budget is used up, and accepts again after a release", async () => {
    log = await openTestLog(dir, { maxBytes: 10_000, segmentBytes: 1000 });
    for (let i = 0; i < 10; i += 1) await log.append(Buffer.alloc(900));
    await assert.rejects(log.append(Buffer.alloc(900)), refusedAs("log_full"));
    assert.equal(log.stats().state, "ok");
    await log.release(log.end());
    await log.append(Buffer.alloc(900));
    assert.ok(log.stats().bytes < 2000);
  });

  it("makes queued records durable when it closes, and accepts no more", async () => {
    log = await openTestLog(dir);
    const queued = Array.from({ length: 50 }, (_, i) => log.append(text(`${i}`)));
    await log.close();
    await Promise.all(queued);
    await assert.rejects(log.append(text("late")), refusedAs("closed"));
    log = await openTestLog(dir);
    assert.equal((await readTexts(log)).length, 50);
  });
});

describe("reading", () => {
  it("sees every record of a log that is being written, once and in order", async () => {
    log = await openTestLog(dir, { segmentBytes: 5000 });
    const seen: string[] = [];
    const reader = (async () => {
      for (let at = LOG_START; seen.length < 2000; ) {
        await log.waitBeyond(at);
        const { records, next } = await log.read(at, { maxBytes: 3000, maxRecords: 50 });
        for (const record of records) seen.push(record.payload.toString());
        at = next;
        await log.release(at);
      }
    })();
    for (let i = 0; i < 2000; i += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, k) => log.append(text(`event ${i + k}`))));
    }
    await reader;
    assert.deepEqual(
      seen,
      Array.from({ length: 2000 }, (_, i) => `event ${i}`),
    );
    assert.ok(segmentFiles().length <= 2);
  });

  it("respects its limits, but returns a single record of any size", async () => {
    log = await openTestLog(dir);
    for (const size of [100, 100, 5000, 100]) await log.append(Buffer.alloc(size));
    const sizes = async (from: Position, maxBytes: number, maxRecords: number) =>
      (await log.read(from, { maxBytes, maxRecords })).records.map((record) => record.payload.length);
    assert.deepEqual(await sizes(LOG_START, 1000, 1), [100]);
    assert.deepEqual(await sizes(LOG_START, 300, 10), [100, 100]);
    assert.deepEqual(await sizes(LOG_START, 1, 10), [100]);
    const { next } = await log.read(LOG_START, { maxBytes: 300, maxRecords: 2 });
    assert.deepEqual(await sizes(next, 300, 10), [5000]);
    assert.deepEqual(await sizes(log.end(), 300, 10), []);
    await assert.rejects(log.read({ segment: 9, offset: 0 }, { maxBytes: 1, maxRecords: 1 }), RangeError);
  });

  it("wakes a waiting reader on commit, and releases it on abort and close", async () => {
    log = await openTestLog(dir);
    let woken = false;
    const wait = log.waitBeyond(log.end()).then(() => {
      woken = true;
    });
    await nextTurn();
    assert.equal(woken, false);
    await log.append(text("x"));
    await nextTurn();
    assert.equal(woken, true, "within one turn of the event loop");
    await wait;
    await log.waitBeyond(LOG_START);
    const gone = new AbortController();
    const aborted = assert.rejects(log.waitBeyond(log.end(), gone.signal), /no longer needed/);
    gone.abort(new Error("no longer needed"));
    await aborted;
    const closed = assert.rejects(log.waitBeyond(log.end()), refusedAs("closed"));
    await log.close();
    await closed;
  });

  it("continues while the disk rejects writes", async () => {
    let broken = false;
    const { files } = createFaultyFiles((call) => (broken && call.op === "write" ? "ENOSPC" : undefined));
    log = await openTestLog(dir, { files });
    await log.append(text("kept"));
    broken = true;
    await assert.rejects(log.append(text("refused")), refusedAs("disk_full"));
    await assert.rejects(log.append(text("refused at once")), refusedAs("disk_full"));
    assert.deepEqual(await readTexts(log), ["kept"]);
    assert.equal(log.stats().state, "broken");
    assert.match(log.stats().trouble ?? "", /^the log cannot write: .*ENOSPC/);
  });
});

describe("releasing", () => {
  it("deletes segments that are entirely released, and never the current one", async () => {
    log = await openTestLog(dir, { segmentBytes: 1000 });
    const positions: Position[] = [];
    for (let i = 0; i < 10; i += 1) positions.push(await log.append(Buffer.alloc(400)));
    assert.equal(segmentFiles().length, 5);
    await log.release(positions[3] ?? LOG_START);
    assert.equal(segmentFiles().length, 4, "the second segment still holds the fourth record");
    await Promise.all([log.release(log.end()), log.release(log.end())]);
    assert.equal(segmentFiles().length, 1);
    assert.equal(log.stats().segments, 1);
    await log.append(text("next"));
    assert.deepEqual((await readTexts(log)).slice(-1), ["next"]);
  });

  it("keeps a released record for an hour at most, once the next one comes", async () => {
    let nowMs = Date.now();
    log = await openTestLog(dir, { clock: { ...systemClock, nowMs: () => nowMs } });
    await log.append(text("gone"));
    nowMs += 3_599_000;
    await log.append(text("gone, too"));
    await log.release(log.end(), log.end());
    assert.equal(segmentFiles().length, 1);
    nowMs += 1_000;
    await log.append(text("new"));
    await log.release(log.end(), log.end());
    const left = segmentFiles().map((name) => readFileSync(join(dir, name), "latin1"));
    assert.ok(left.length === 1 && !left.join("").includes("gone"), "the old segment is removed");
    assert.deepEqual((await readTexts(log)).at(-1), "new");
  });

  it("reports the age of the oldest unreleased record", async () => {
    let nowMs = 1_000_000;
    const clock = { nowMs: () => nowMs };
    log = await openTestLog(dir, { clock });
    assert.equal(log.stats().oldestRecordAtMs, undefined);
    await log.append(text("a"));
    const middle = log.end();
    for (let i = 0; i < 3000; i += 1) {
      nowMs += 1000;
      if (i % 100 === 0) await log.append(text("b"));
    }
    assert.equal(log.stats().oldestRecordAtMs, 1_000_000);
    await log.release(middle);
    assert.equal(log.stats().oldestRecordAtMs, 1_001_000);
    await log.release(log.end());
    assert.equal(log.stats().oldestRecordAtMs, undefined);
  });
});

type Step =
  | { readonly do: "append"; readonly sizes: readonly number[] }
  | { readonly do: "release"; readonly part: number }
  | { readonly do: "reopen" };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("append" as const), sizes: fc.array(fc.nat(700), { maxLength: 12 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("release" as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
);

it("behaves like an array of records under any sequence of appends, releases and reopenings", async () => {
  const open = (under: string, consumed: Position) =>
    openTestLog(under, { segmentBytes: 2000, consumed, files: nodeFiles });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 30 }), async (steps) => {
      const under = mkdtempSync(join(dir, "run-"));
      log = await open(under, LOG_START);
      let released: Position = LOG_START;
      let model: { position: Position; text: string }[] = [];
      let count = 0;
      for (const step of steps) {
        if (step.do === "append") {
          const texts = step.sizes.map((size) => `${count++}:`.padEnd(size, "z"));
          const positions = await Promise.all(texts.map((each) => log.append(text(each))));
          for (const [i, position] of positions.entries()) model.push({ position, text: texts[i] ?? "" });
        } else if (step.do === "release") {
          released = model[Math.floor(step.part * model.length)]?.position ?? released;
          model = model.filter(({ position }) => comparePositions(position, released) >= 0);
          await log.release(released);
        } else {
          await log.close();
          log = await open(under, released);
        }
        assert.deepEqual(
          await readTexts(log, released, 1500),
          model.map((record) => record.text),
        );
      }
      await log.close();
      rmSync(under, { recursive: true });
    }),
    { seed: SEED, numRuns: 60 },
  );
});
