import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "../../../src/engines/duckdb/database.ts";
import { DEFAULT_LIMITS } from "../../../src/engines/duckdb/limits.ts";
import { sampleEvent } from "../../support/events.ts";
import { createTestWriter, startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";

describe("a write-ahead log after a loss of power", () => {
  let local: TestLocalEngine;
  let dir: string;
  before(async () => {
    local = await startLocalEngine();
    dir = mkdtempSync(join(tmpdir(), "mend-wal-"));
    const write = await createTestWriter(local.engine, "n");
    for (let i = 0; i < 3; i += 1) await write("p", [sampleEvent(`m${i}`)], Date.now());
  });
  after(async () => {
    await local.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Opens a copy of the file, with this log, as the next process would. */
  async function openCopy(name: string, change: (wal: Buffer) => Buffer): Promise<{ rows: number; mended: number }> {
    const path = join(dir, `${name}.duckdb`);
    copyFileSync(local.path, path);
    writeFileSync(`${path}.wal`, change(readFileSync(`${local.path}.wal`)));
    let mended = 0;
    const database = await openDatabase(path, DEFAULT_LIMITS, {
      onMended: () => {
        mended += 1;
      },
    });
    try {
      const { rows } = await database.select<{ n: number }>("SELECT count(*) AS n FROM events");
      return { rows: rows[0]?.n ?? -1, mended };
    } finally {
      await database.close();
    }
  }

  test("is opened as it is, whole or ending within an entry", async () => {
    assert.deepEqual(await openCopy("whole", (wal) => wal), { rows: 3, mended: 0 });
    assert.deepEqual(await openCopy("torn", (wal) => wal.subarray(0, -40)), { rows: 2, mended: 0 });
  });

  for (const zeros of [30, 4_096])
    test(`is opened with all its transactions when ${zeros} bytes follow that were never written`, async () => {
      const opened = await openCopy(`zeros${zeros}`, (wal) => Buffer.concat([wal, Buffer.alloc(zeros)]));
      assert.deepEqual(opened, { rows: 3, mended: 1 });
      assert.ok(existsSync(join(dir, `zeros${zeros}.duckdb.wal.damaged`)));
    });

  test("is opened without its last transaction when a sector of that was never written", async () => {
    const opened = await openCopy("hole", (wal) => {
      const hole = Math.floor((wal.length - 1_200) / 512) * 512;
      return Buffer.concat([wal.subarray(0, hole), Buffer.alloc(512), wal.subarray(hole + 512)]);
    });
    assert.deepEqual(opened, { rows: 2, mended: 1 });
  });

  test("is not cut before transactions that were acknowledged, although its last room was never written", async () => {
    const flip = (wal: Buffer) => {
      const first = wal.indexOf("app.example.com");
      assert.ok(first > 0);
      wal[first] = (wal[first] ?? 0) ^ 0xff;
      return Buffer.concat([wal, Buffer.alloc(4_096)]);
    };
    await assert.rejects(openCopy("early", flip), /Corrupt WAL file/);
    assert.deepEqual(readFileSync(join(dir, "early.duckdb.wal")), flip(readFileSync(`${local.path}.wal`)));
  });

  test("is not cut where written bytes have changed: the start fails, and the log is as it was", async () => {
    const flip = (wal: Buffer) => {
      wal[wal.length - 100] = (wal.at(-100) ?? 0) ^ 0xff;
      return wal;
    };
    await assert.rejects(openCopy("flipped", flip), /Corrupt WAL file/);
    assert.deepEqual(readFileSync(join(dir, "flipped.duckdb.wal")), flip(readFileSync(`${local.path}.wal`)));
  });
});
