import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LIMITS } from "../../src/contract/limits.ts";
import { recordRefusal } from "../../src/ingest/accept.ts";
import { createBodyThread } from "../../src/ingest/body-thread.ts";
import { LogUnavailable } from "../../src/ingest/log-errors.ts";
import { createRecentIds } from "../../src/ingest/recent-ids.ts";
import { RECORD_HEADER_BYTES } from "../../src/ingest/segment-format.ts";
import { readConfig } from "../../src/installation/config.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createFaultyFiles, createMemoryDisk, openTestLog, type TestLog } from "../support/faulty-files.ts";

const MIB = 1024 * 1024;
const SMALLEST_MB = 64;
/** Includes the record's metadata of its request. */
const LARGEST = Buffer.alloc(LIMITS.eventsBodyBytes + 1024);

async function refusalOf(append: Promise<unknown>): Promise<string | undefined> {
  try {
    await append;
    return undefined;
  } catch (cause) {
    assert.ok(cause instanceof LogUnavailable, String(cause));
    return cause.reason;
  }
}

async function fill(log: TestLog, record: Buffer): Promise<void> {
  for (let i = 0; (await refusalOf(log.append(record))) !== "log_full"; i += 1) assert.ok(i < 100, "it gets full");
}

describe("a log whose records are all consumed accepts events again", () => {
  it("with the smallest allowed limit and the largest body", async () => {
    assert.equal(readConfig({ SEXTANT_LOG_MAX_MB: `${SMALLEST_MB}` }).LOG_MAX_MB, SMALLEST_MB);
    assert.throws(() => readConfig({ SEXTANT_LOG_MAX_MB: `${SMALLEST_MB - 1}` }), /from 64 to/);
    const maxBytes = SMALLEST_MB * MIB;
    const log = await openTestLog("disk", { files: createMemoryDisk().files, maxBytes });
    for (let i = 0; i < 15; i += 1) {
      await log.append(LARGEST);
      await log.release(log.end());
      assert.ok(log.stats().bytes < maxBytes / 2, "the room of consumed events is given back");
    }
    for (let i = 0; i < 3; i += 1) {
      await fill(log, LARGEST);
      assert.ok(log.stats().bytes <= maxBytes);
      await log.release(log.end());
      await log.append(LARGEST);
    }
    await log.close();
  });

  it("after an earlier, larger limit has left a larger segment", async () => {
    const { files } = createMemoryDisk();
    const before = await openTestLog("disk", { files });
    for (let i = 0; i < 6; i += 1) await before.append(LARGEST);
    await before.close();
    const maxBytes = SMALLEST_MB * MIB;
    const behind = await openTestLog("disk", { files, maxBytes });
    assert.equal(await refusalOf(behind.append(LARGEST)), "log_full", "nothing of it is consumed yet");
    await behind.close();
    const log = await openTestLog("disk", { files, maxBytes, consumed: before.end() });
    assert.equal(await refusalOf(log.append(LARGEST)), "log_full", "what is consumed may not be durable elsewhere yet");
    await log.release(before.end());
    await log.append(LARGEST);
    await log.release(log.end());
    assert.ok(log.stats().bytes < maxBytes / 2, "the large segment is gone");
    await log.append(LARGEST);
    await log.close();
  });

  it("after a failed write has ended the segment", async () => {
    let failing = false;
    const { files } = createFaultyFiles(
      ({ op }) => (failing && (op === "write" || op === "truncate") ? "EIO" : undefined),
      createMemoryDisk().files,
    );
    const log = await openTestLog("disk", { files, segmentBytes: 4000, maxBytes: 4000 });
    await log.append(Buffer.alloc(3800));
    await log.release(log.end());
    failing = true;
    assert.equal(await refusalOf(log.append(Buffer.alloc(50))), "io_error");
    failing = false;
    while (log.stats().state !== "ok") await sleep(5);
    await log.append(Buffer.alloc(1000));
    await log.close();
  });
});

describe("a log that one workspace would fill", () => {
  it("refuses that workspace at a quarter and takes events of others", async () => {
    const log = await openTestLog("disk", { files: createMemoryDisk().files, maxBytes: MIB });
    await log.append(Buffer.alloc(100), "neighbour");
    await assert.rejects(async () => {
      for (let i = 0; i < 100; i += 1) await log.append(Buffer.alloc(10_000), "hostile");
    }, /share_full/);
    assert.ok(log.stats().bytes < MIB / 3);
    await log.append(Buffer.alloc(10_000), "neighbour");
    await log.release(log.end());
    await log.append(Buffer.alloc(10_000), "hostile");
    await log.close();
  });
});

describe("packed records", () => {
  it("count in a workspace's share as they were sent: the writer has to read them all", async () => {
    const log = await openTestLog("disk", { files: createMemoryDisk().files, maxBytes: MIB });
    await log.append(Buffer.alloc(100), "neighbour");
    let taken = 0;
    await assert.rejects(async () => {
      for (; taken < 1_000; taken += 1) await log.append(Buffer.alloc(100), "hostile", 50_000);
    }, /share_full/);
    assert.equal(taken, 5, "of 50,000 bytes each in a quarter of 1 MiB");
    await log.append(Buffer.alloc(100), "neighbour", 50_000);
    await log.release(log.end());
    await log.append(Buffer.alloc(100), "hostile", 50_000);
    await log.close();
  });
});

describe("a full log is reported once", () => {
  function createLines() {
    const lines: { message: string; refused?: number }[] = [];
    const logger = { warn: (fields: object, message: string) => void lines.push({ ...fields, message }) };
    return { logger, lines, messages: () => lines.map(({ message }) => message) };
  }

  it("when its disk budget is used up, and again when a refused record fits", async () => {
    const { logger, lines, messages } = createLines();
    const { files } = createMemoryDisk();
    const log = await openTestLog("disk", { files, logger, maxBytes: 40_000, segmentBytes: 10_000 });
    await fill(log, Buffer.alloc(4000));
    for (let i = 0; i < 100; i += 1) await refusalOf(log.append(Buffer.alloc(i % 2 === 0 ? 9000 : 4000)));
    const full = /^the log is full; it refuses events/;
    assert.equal(messages().length, 1);
    assert.match(messages()[0] ?? "", full);
    await log.append(Buffer.alloc(100));
    await log.release({ segment: 1, offset: 5000 });
    assert.equal(messages().length, 1, "nothing was freed");
    await log.release(log.end());
    assert.equal(messages().length, 2);
    assert.deepEqual({ ...lines[1] }, { reason: "log_full", refused: 101, message: "the log has room again" });
    await fill(log, Buffer.alloc(4000));
    assert.match(messages()[2] ?? "", full);
    await log.close();
  });

  it("when too many bytes wait for the disk, and again when they are written", async () => {
    const { logger, messages } = createLines();
    const log = await openTestLog("disk", { files: createMemoryDisk().files, logger, maxQueuedBytes: 10_000 });
    await Promise.allSettled(Array.from({ length: 50 }, () => log.append(Buffer.alloc(900))));
    assert.equal(messages().length, 2);
    assert.match(messages()[0] ?? "", /^the disk is too slow; the log refuses events/);
    assert.match(messages()[1] ?? "", /room again/);
    await log.close();
  });

  it("when a workspace holds its share, and again when some of it is stored", async () => {
    const { logger, lines, messages } = createLines();
    const log = await openTestLog("disk", { files: createMemoryDisk().files, logger, maxBytes: MIB });
    await log.append(Buffer.alloc(100), "neighbour");
    let refused = 0;
    for (let i = 0; i < 100; i += 1)
      if ((await refusalOf(log.append(Buffer.alloc(10_000), "hostile"))) === "share_full") refused += 1;
    assert.ok(refused > 1);
    assert.equal(messages().length, 1);
    assert.deepEqual(
      { ...lines[0], message: (messages()[0] ?? "").split(";")[0] },
      {
        reason: "share_full",
        bytes: 10_000 + RECORD_HEADER_BYTES,
        workspaceId: "hostile",
        message: "a workspace holds a quarter of the log while others write",
      },
    );
    await log.release(log.end());
    assert.deepEqual({ ...lines[1] }, { reason: "share_full", refused, message: "the log has room again" });
    await log.close();
  });

  it("when not even refusals can be recorded", async () => {
    const { logger, messages } = createLines();
    const log = await openTestLog("disk", { files: createMemoryDisk().files, logger, maxBytes: 5000 });
    await fill(log, Buffer.alloc(500));
    await fill(log, Buffer.alloc(1));
    const thread = createBodyThread();
    const deps = { log, clock: systemClock, recent: createRecentIds(), logger, thread, count: () => undefined };
    const scope = { projectId: "p", workspaceId: "w", rules: "raw" } as const;
    for (let i = 0; i < 20; i += 1) await recordRefusal(deps, scope, "bad_json", 1);
    assert.equal(messages().length, 1);
    await log.close();
  });
});
