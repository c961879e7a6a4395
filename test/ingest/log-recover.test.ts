import assert from "node:assert/strict";
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import fc from "fast-check";
import type { LogOptions } from "../../src/ingest/log.ts";
import { LogCorrupt } from "../../src/ingest/log-errors.ts";
import { comparePositions, LOG_START, type Position } from "../../src/ingest/log-position.ts";
import { SEED } from "../../src/lib/testing.ts";
import {
  createFaultyFiles,
  createMemoryDisk,
  type MemoryDisk,
  openTestLog,
  readTexts,
} from "../support/faulty-files.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "log-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const segmentFiles = () => readdirSync(dir).map((name) => join(dir, name));
const lastFile = () => segmentFiles().at(-1) ?? "";

/** Each inner list is appended at once and so is one group; returns where each group ends. */
async function fill(groups: readonly (readonly string[])[], over: Partial<LogOptions> = {}): Promise<Position[]> {
  const log = await openTestLog(dir, over);
  const ends: Position[] = [];
  for (const group of groups) {
    await Promise.all(group.map((text) => log.append(Buffer.from(text))));
    ends.push(log.end());
  }
  await log.close();
  return ends;
}

async function reopened(over: Partial<LogOptions> = {}): Promise<string[]> {
  const log = await openTestLog(dir, over);
  try {
    return await readTexts(log);
  } finally {
    await log.close();
  }
}

async function refusal(over: Partial<LogOptions> = {}): Promise<LogCorrupt> {
  let cause: unknown;
  await assert.rejects(reopened(over), (thrown) => {
    cause = thrown;
    return thrown instanceof LogCorrupt;
  });
  assert.ok(cause instanceof LogCorrupt);
  assert.doesNotMatch(cause.message, /\n/);
  return cause;
}

function flipBit(file: string, offset: number): void {
  const bytes = readFileSync(file);
  bytes[offset] = (bytes[offset] ?? 0) ^ 4;
  writeFileSync(file, bytes);
}

describe("a torn tail", () => {
  it("is truncated wherever the last record was torn, and the log continues after the records before it", async () => {
    const ends = await fill([["first"], ["second"], ["third and last"]]);
    const [from, to] = [ends[1]?.offset ?? 0, ends[2]?.offset ?? 0];
    const file = lastFile();
    copyFileSync(file, `${file}.whole`);
    for (let length = from; length < to; length += 1) {
      copyFileSync(`${file}.whole`, file);
      truncateSync(file, length);
      const log = await openTestLog(dir);
      assert.equal(log.end().offset, from, `torn at byte ${length}`);
      await log.append(Buffer.from("after the crash"));
      await log.close();
      assert.deepEqual(await reopened(), ["first", "second", "after the crash"]);
    }
  });

  for (const { name, tail } of [
    { name: "garbage", tail: Buffer.from("garbage ".repeat(1000)) },
    { name: "zeros", tail: Buffer.alloc(100_000) },
    { name: "one byte", tail: Buffer.from("x") },
  ]) {
    it(`of ${name} is truncated`, async () => {
      await fill([["a", "b"], ["c"]]);
      appendFileSync(lastFile(), tail);
      assert.deepEqual(await reopened(), ["a", "b", "c"]);
    });
  }

  it("is also truncated when a later record of the same unacknowledged group is complete", async () => {
    const ends = await fill([["acknowledged"], ["torn", "whole", "whole too"]]);
    flipBit(lastFile(), (ends[0]?.offset ?? 0) + 17);
    assert.deepEqual(await reopened(), ["acknowledged"]);
  });

  it("may be a segment whose creation was interrupted", async () => {
    await fill([["a"], ["b"], ["c"]], { segmentBytes: 64 + 17 });
    for (const length of [63, 10, 0]) {
      writeFileSync(join(dir, "000000000004.log"), Buffer.alloc(length, 1));
      assert.deepEqual(await reopened(), ["a", "b", "c"]);
    }
  });
});

describe("damage to acknowledged records", () => {
  it("stops the start with file and offset, whichever byte is damaged", async () => {
    const ends = await fill([["first"], ["second"], ["third"]]);
    const [from, to] = [ends[0]?.offset ?? 0, ends[1]?.offset ?? 0];
    for (let offset = from; offset < to; offset += 1) {
      flipBit(lastFile(), offset);
      const { message, ...where } = await refusal();
      assert.deepEqual([where.file, where.offset], [lastFile(), from]);
      assert.match(message, /does not check although later ones do/);
      flipBit(lastFile(), offset);
    }
    assert.deepEqual(await reopened(), ["first", "second", "third"]);
  });

  it("in an older segment is detected when it is read", async () => {
    await fill([["a"], ["b"], ["c"]], { segmentBytes: 64 + 17 });
    flipBit(segmentFiles()[1] ?? "", 80);
    const { file, offset } = await refusal();
    assert.deepEqual([file, offset], [segmentFiles()[1], 64]);
  });

  const inThree = () => fill([["a"], ["b"], ["c"]], { segmentBytes: 64 + 17 });
  it("stops the start when an older segment lost its end", async () => {
    await inThree();
    truncateSync(segmentFiles()[1] ?? "", 80);
    assert.match((await refusal()).message, /ends here but held 81 bytes/);
  });

  it("stops the start when a segment in between is missing", async () => {
    await inThree();
    rmSync(segmentFiles()[1] ?? "");
    assert.match((await refusal()).message, /segment 2 is gone/);
  });

  it("stops the start when the segments after the reader's cursor are missing", async () => {
    const ends = await inThree();
    rmSync(segmentFiles()[0] ?? "");
    assert.match((await refusal({ consumed: { segment: 1, offset: 64 } })).message, /segment 1 is gone/);
    assert.deepEqual(await reopened({ consumed: ends[0] ?? LOG_START }), ["b", "c"]);
    assert.deepEqual(await reopened(), ["b", "c"], "without a cursor, what is there is all that is expected");
  });

  it("stops the start on a damaged, newer or misplaced header", async () => {
    await inThree();
    flipBit(lastFile(), 20);
    assert.match((await refusal()).message, /header does not check/);
    flipBit(lastFile(), 20);
    copyFileSync(lastFile(), join(dir, "000000000007.log"));
    assert.match((await refusal()).message, /segment 3 under another name/);
  });
});

describe("reopening", () => {
  it("keeps hundreds of segments in order", async () => {
    const texts = Array.from({ length: 300 }, (_, i) => `event ${i}`.padEnd(90, "."));
    await fill([texts], { segmentBytes: 200 });
    assert.equal(segmentFiles().length, 300);
    assert.deepEqual(await reopened(), texts);
  });

  it("never reuses a position below the reader's cursor, also when the directory was emptied", async () => {
    const ends = await fill([["a"], ["b"]]);
    const consumed = ends[1] ?? LOG_START;
    for (const lose of [() => truncateSync(lastFile(), ends[0]?.offset ?? 0), () => rmSync(lastFile())]) {
      lose();
      const log = await openTestLog(dir, { consumed });
      const position = await log.append(Buffer.from("new"));
      assert.ok(comparePositions(position, consumed) > 0);
      assert.deepEqual(await readTexts(log, consumed), ["new"]);
      await log.close();
      assert.deepEqual((await reopened({ consumed })).slice(-1), ["new"]);
      for (const file of segmentFiles().slice(1)) rmSync(file);
    }
  });

  it("removes released segments that reappear", async () => {
    const ends = await fill([["a"], ["b"], ["c"]], { segmentBytes: 64 + 17 });
    rmSync(segmentFiles()[1] ?? "");
    assert.deepEqual(await reopened({ consumed: ends[1] ?? LOG_START }), ["c"]);
    assert.equal(segmentFiles().length, 1);
  });
});

it("keeps every acknowledged and every served record through kills and power cuts at any call", async () => {
  const anyRun = fc.record({
    sizes: fc.array(fc.array(fc.nat(1500), { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 }),
    endAtCall: fc.integer({ min: 1, max: 80 }),
    power: fc.boolean(),
    releases: fc.boolean(),
    coins: fc.infiniteStream(fc.boolean()),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyRun, { minLength: 2, maxLength: 6 }), async (runs) => {
      let disk = createMemoryDisk();
      let consumed: Position = LOG_START;
      let kept: { text: string; position: Position }[] = [];
      for (const [i, run] of runs.entries()) {
        let next: MemoryDisk | undefined;
        let calls = 0;
        // After a kill or a power cut nothing more is written. Only a power cut loses written bytes.
        const end = () => {
          next ??= run.power ? disk.cutPower(() => run.coins.next().value) : disk;
        };
        const { files } = createFaultyFiles(() => {
          calls += 1;
          if (calls === run.endAtCall) end();
          return next === undefined ? undefined : "EIO";
        }, disk.files);
        try {
          const log = await openTestLog("disk", { files, segmentBytes: 4000, consumed });
          try {
            const { records } = await log.read(consumed, { maxBytes: 1e7, maxRecords: 1e6 });
            const served = records.map(({ payload, position }) => ({ text: payload.toString(), position }));
            const found = new Set(served.map(({ text }) => text));
            const lost = kept.filter(
              ({ text, position }) => comparePositions(position, consumed) >= 0 && !found.has(text),
            );
            assert.deepEqual(lost, []);
            kept = served;
            for (const [k, group] of run.sizes.entries()) {
              const texts = group.map((size, n) => `${i}.${k}.${n}:`.padEnd(size, "p"));
              const positions = await Promise.all(texts.map((text) => log.append(Buffer.from(text))));
              if (next !== undefined) break;
              for (const [n, position] of positions.entries()) kept.push({ text: texts[n] ?? "", position });
              if (!run.releases || k % 3 !== 2) continue;
              consumed = positions[0] ?? consumed;
              await log.release(consumed);
            }
          } finally {
            end();
            await log.close();
          }
        } catch (cause) {
          // The simulated end makes calls fail; any other failure is a bug.
          if (next === undefined || !/EIO|io_error/.test(String(cause))) throw cause;
        }
        disk = next ?? disk;
      }
    }),
    { seed: SEED, numRuns: 200 },
  );
});
