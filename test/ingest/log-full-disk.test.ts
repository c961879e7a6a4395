import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../src/ingest/log.ts";
import { LogUnavailable } from "../../src/ingest/log-errors.ts";
import type { Files, LogFile } from "../../src/lib/files.ts";
import { createFaultyFiles, createMemoryDisk, openTestLog } from "../support/faulty-files.ts";

const KB = 1024;
/** The size of a probe and of a new segment's header. */
const PROBE_BYTES = 1024 * KB + 64;

/** A disk of `room.bytes`: a write stores what fits and then fails, as on a real disk. */
function createSmallDisk(room: { bytes: number }): { files: Files; used(): number } {
  const under = createMemoryDisk().files;
  const sizes = new Map<string, number>();
  const used = () => [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const limit = (file: LogFile, path: string): LogFile => ({
    ...file,
    async write(bytes, offset) {
      const size = sizes.get(path) ?? 0;
      const fits = Math.min(bytes.length, size - offset + Math.max(0, room.bytes - used()));
      if (fits <= 0) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      await file.write(bytes.subarray(0, fits), offset);
      sizes.set(path, Math.max(size, offset + fits));
      return fits;
    },
    async truncate(length) {
      await file.truncate(length);
      sizes.set(path, length);
    },
  });
  const files: Files = {
    ...under,
    async open(path, how) {
      if (how === "create") sizes.set(path, 0);
      return limit(await under.open(path, how), path);
    },
    async unlink(path) {
      await under.unlink(path);
      sizes.delete(path);
    },
  };
  return { files, used };
}

async function becomes(what: string, isSo: () => boolean): Promise<void> {
  for (const deadline = performance.now() + 30_000; !isSo(); ) {
    assert.ok(performance.now() < deadline, `not within 30 s: ${what}`);
    await sleep(5);
  }
}

const worksAgain = (log: Log) => becomes("the log works again", () => log.stats().state === "ok");

describe("a full disk", () => {
  let room: { bytes: number };
  beforeEach(() => {
    room = { bytes: 2500 * KB };
  });

  it("keeps no bytes of failed probes, and works as soon as one fits", async () => {
    const disk = createSmallDisk(room);
    const { files, trace } = createFaultyFiles(() => undefined, disk.files);
    const log = await openTestLog("disk", { files });
    await log.append(Buffer.alloc(2000 * KB));
    await assert.rejects(log.append(Buffer.alloc(600 * KB)), LogUnavailable);
    const probes = () => trace.filter(({ op, bytes }) => op === "write" && bytes === 1024 * KB).length;
    await becomes("three probes", () => probes() >= 3);
    assert.equal(log.stats().state, "broken");
    await becomes("the zeros are cut", () => disk.used() <= log.stats().bytes + 64);
    room.bytes = log.stats().bytes + PROBE_BYTES;
    await worksAgain(log);
    await log.close();
  });

  it("gets the space of the current segment when the reader has finished it", async () => {
    const log = await openTestLog("disk", { files: createSmallDisk(room).files });
    await log.append(Buffer.alloc(2000 * KB));
    await log.release(log.end());
    await assert.rejects(log.append(Buffer.alloc(600 * KB)), LogUnavailable);
    await worksAgain(log);
    await log.append(Buffer.alloc(2000 * KB));
    await log.close();
  });

  it("gets the space of a segment whose release failed", async () => {
    const { files } = createFaultyFiles(
      ({ op }, nth) => (op === "unlink" && nth === 1 ? "EIO" : undefined),
      createSmallDisk(room).files,
    );
    const log = await openTestLog("disk", { files, segmentBytes: 1100 * KB });
    await log.append(Buffer.alloc(1000 * KB));
    await log.append(Buffer.alloc(1000 * KB));
    const first = { segment: 1, offset: 1100 * KB };
    await assert.rejects(log.release(first), /EIO/);
    await assert.rejects(log.append(Buffer.alloc(600 * KB)), LogUnavailable);
    await worksAgain(log);
    assert.ok(log.stats().bytes < 1100 * KB);
    await log.close();
  });
});
