import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Log } from "../../src/ingest/log.ts";
import type { Position } from "../../src/ingest/log-position.ts";
import { BatchReader } from "../../src/warehouse/batch-reader.ts";
import { emptyBatch } from "../../src/warehouse/testing.ts";
import { openTestLog } from "../support/faulty-files.ts";
import { waitFor } from "../support/wait.ts";

function read(t: TestContext, log: Log, from: Position, until?: Position) {
  const ending = new AbortController();
  t.after(() => ending.abort());
  let transformed = 0;
  const transform = {
    allocate: Buffer.allocUnsafeSlow,
    async run(records: readonly unknown[]) {
      transformed += records.length;
      return emptyBatch("rows", records.length);
    },
  };
  const deps = { nodeId: "n", log, transform, onWake: () => undefined };
  return { reader: new BatchReader(deps, from, until, ending.signal), transformed: () => transformed };
}

test("an interrupted batch ends where it did, also if it reached further than one read with its limits", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "interrupted-batch-"));
  const log = await openTestLog(dir);
  t.after(async () => {
    await log.close();
    rmSync(dir, { recursive: true });
  });
  const from = log.end();
  const { reader, transformed } = read(t, log, from);
  // 824 bytes below the limit of 24 MiB, and above it with the headers that the records have in the log.
  const payload = Buffer.alloc(251_650);
  for (let count = 10; count <= 100; count += 10) {
    await Promise.all(Array.from({ length: 10 }, () => log.append(payload)));
    await waitFor("the piece to be transformed", () => transformed() === count);
  }
  const interrupted = await reader.take();
  assert.equal(interrupted.rows.eventCount, 100);
  await log.append(payload);
  const again = await read(t, log, from, interrupted.end).reader.take();
  assert.deepEqual([again.end, again.token], [interrupted.end, interrupted.token]);
});
