import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { LogUnavailable } from "../../src/ingest/log-errors.ts";
import type { Files } from "../../src/lib/files.ts";
import {
  type Call,
  createFaultyFiles,
  createMemoryDisk,
  type Fault,
  type Op,
  openTestLog,
  readTexts,
  type TestLog,
} from "../support/faulty-files.ts";

let dir: string;
before(() => {
  dir = mkdtempSync(join(tmpdir(), "log-"));
});
after(() => rmSync(dir, { recursive: true }));

/** A group of three fills a segment, so that a 50th segment is made soon and its open can fail. */
const SEGMENT_BYTES = 64 + 3 * 66;

async function recovered(log: TestLog, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (log.stats().state !== "ok") {
    assert.ok(performance.now() < deadline, `still broken after ${withinMs} ms: ${log.stats().trouble}`);
    await sleep(1);
  }
}

interface Outcome {
  readonly acknowledged: string[];
  readonly refused: string[];
}

/** Appends groups of three until four were tried after the fault; waits for recovery where one is refused. */
async function appendThrough(log: TestLog, outcome: Outcome, isMet: () => boolean): Promise<void> {
  for (let group = 0, after = 0; after < 4; group += 1) {
    if (isMet()) after += 1;
    assert.ok(group < 60, "the fault was met");
    const texts = [0, 1, 2].map((i) => `${group}.${i}`.padEnd(50, "-"));
    const settled = await Promise.allSettled(texts.map((text) => log.append(Buffer.from(text))));
    for (const [i, result] of settled.entries()) {
      (result.status === "fulfilled" ? outcome.acknowledged : outcome.refused).push(texts[i] ?? "");
      if (result.status === "rejected") assert.ok(result.reason instanceof LogUnavailable, String(result.reason));
    }
    await recovered(log, 10_000);
  }
}

/** After a failed fdatasync its pages may be gone and yet count as clean: only a cut or a new file may follow. */
function assertNeverJustSyncedAgain(trace: readonly Call[]): void {
  for (const [i, call] of trace.entries()) {
    if (!call.failed || !["write", "fdatasync"].includes(call.op)) continue;
    const next = trace.slice(i + 1).find((later) => later.handle === call.handle && later.op !== "size");
    if (next === undefined) continue;
    const written = trace.slice(0, i + 1).filter((each) => each.handle === call.handle && each.op === "write");
    assert.equal(next.op, "truncate", `after a failed ${call.op} came ${next.op}`);
    assert.ok(next.offset <= (written.at(-1)?.offset ?? 0), "the cut takes away all that the failed group wrote");
  }
}

const FAULTS: { name: string; op: Op; fault: Fault; cutFails?: true; harmless?: true }[] = [
  { name: "ENOSPC on a write", op: "write", fault: "ENOSPC" },
  { name: "EIO on a write", op: "write", fault: "EIO" },
  { name: "a short write", op: "write", fault: "short", harmless: true },
  { name: "EIO on an fdatasync", op: "fdatasync", fault: "EIO" },
  { name: "EIO on an fdatasync and on the cut after it", op: "fdatasync", fault: "EIO", cutFails: true },
  { name: "EMFILE on an open", op: "open", fault: "EMFILE" },
  { name: "EIO on a directory sync", op: "fsyncDir", fault: "EIO" },
];

describe("one fault", { concurrency: true }, () => {
  for (const { name, op, fault, cutFails, harmless } of FAULTS) {
    it(`${name}, at each of the first 50 calls, loses no acknowledged record and recovers`, async () => {
      for (let n = 1; n <= 50; n += 1) {
        const disk = createMemoryDisk();
        const outcome: Outcome = { acknowledged: [], refused: [] };
        const crashes: (() => Promise<void>)[] = [];
        let cuts = 0;
        const { files, trace } = createFaultyFiles((call, nth) => {
          if (crashes.length > 0 && call.op === "truncate") cuts += 1;
          if (cutFails && call.op === "truncate" && cuts === 1) return "EIO";
          if (call.op !== op || nth !== n) return undefined;
          const before = [...outcome.acknowledged];
          for (const coin of [true, false]) {
            const left = disk.cutPower(() => coin).files;
            crashes.push(() => checkCrash(left, before, outcome.refused));
          }
          return fault;
        }, disk.files);
        const log = await openOrRetry(files);
        await appendThrough(log, outcome, () => crashes.length > 0);
        assert.deepEqual(await readTexts(log), outcome.acknowledged);
        await log.close();
        if (harmless) assert.deepEqual(outcome.refused, []);
        assertNeverJustSyncedAgain(trace);

        const again = await openTestLog("disk", { files: disk.cutPower(() => false).files });
        assert.deepEqual(await readTexts(again), outcome.acknowledged, `reopened after the fault at ${n}`);
        await again.close();
        for (const check of crashes) await check();
      }
    });
  }
});

/** A fault may hit the start, which then fails with the reason; the next start works. */
async function openOrRetry(files: Files): Promise<TestLog> {
  try {
    return await openTestLog("disk", { files, segmentBytes: SEGMENT_BYTES });
  } catch (cause) {
    assert.match(String(cause), /injected/);
    return openTestLog("disk", { files, segmentBytes: SEGMENT_BYTES });
  }
}

/** After a crash at the fault the disk has every acknowledged record, and beyond them only refused ones. */
async function checkCrash(files: Files, acknowledged: readonly string[], refused: readonly string[]): Promise<void> {
  const log = await openTestLog("disk", { files });
  const found = await readTexts(log);
  await log.close();
  assert.deepEqual(found.slice(0, acknowledged.length), acknowledged);
  assert.ok(found.slice(acknowledged.length).every((text) => refused.includes(text)));
}

describe("a disk that stays broken", { concurrency: true }, () => {
  for (const { fault, op, reason } of [
    { fault: "ENOSPC", op: "write", reason: "disk_full" },
    { fault: "EFBIG", op: "write", reason: "disk_full" },
    { fault: "EIO", op: "fdatasync", reason: "io_error" },
    { fault: "EMFILE", op: "open", reason: "io_error" },
  ] as const) {
    it(`with ${fault} on ${op} refuses at once, and accepts again soon after the cause is gone`, async () => {
      let broken = false;
      const { files, trace } = createFaultyFiles((call) => (broken && call.op === op ? fault : undefined));
      const log = await openTestLog(join(dir, `${fault} ${op}`), { files, segmentBytes: SEGMENT_BYTES });
      const kept = [0, 1, 2, 3, 4, 5].map((i) => `kept ${i}`.padEnd(50));
      for (const text of kept) await log.append(Buffer.from(text));
      broken = true;
      const refusedAs = (cause: unknown) => cause instanceof LogUnavailable && cause.reason === reason;
      await assert.rejects(log.append(Buffer.alloc(50)), refusedAs);
      for (let i = 0; i < 100; i += 1) await assert.rejects(log.append(Buffer.alloc(50)), refusedAs);
      const probes = () => trace.filter((call) => call.op === op && call.failed).length;
      assert.ok(probes() <= 3, "it probes by itself, not with the appends");
      while (probes() < 4) await sleep(5);
      assert.equal(log.stats().state, "broken");
      broken = false;
      await recovered(log, 10_000);
      await log.append(Buffer.from("after"));
      assert.deepEqual(await readTexts(log), [...kept, "after"]);
      await log.close();
      assertNeverJustSyncedAgain(trace);
    });
  }

  it("does not block close", async () => {
    let broken = false;
    const { files } = createFaultyFiles(({ op }) => (broken && op === "fdatasync" ? "EIO" : undefined));
    const log = await openTestLog(join(dir, "close"), { files });
    await log.append(Buffer.from("kept"));
    broken = true;
    await assert.rejects(log.append(Buffer.from("refused")), LogUnavailable);
    const start = performance.now();
    await log.close();
    assert.ok(performance.now() - start < 10_000);
    const again = await openTestLog(join(dir, "close"));
    assert.equal((await readTexts(again))[0], "kept");
    await again.close();
  });
});

it("refuses the group in flight and the next one, and acknowledges neither", async () => {
  const { files } = createFaultyFiles(({ op }, nth) => (op === "fdatasync" && nth === 3 ? "EIO" : undefined));
  const log = await openTestLog(join(dir, "groups"), { files });
  await log.append(Buffer.from("kept"));
  const flying = log.append(Buffer.from("in flight"));
  const settled = assert.rejects(flying, LogUnavailable);
  await nextTurn();
  const behind = assert.rejects(log.append(Buffer.from("behind")), LogUnavailable);
  await Promise.all([settled, behind]);
  await recovered(log, 10_000);
  assert.deepEqual(await readTexts(log), ["kept"]);
  assert.equal(log.stats().queuedBytes, 0);
  await log.close();
});
