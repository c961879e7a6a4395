import assert from "node:assert/strict";
import { test } from "node:test";
import { BatchReader, type BatchReaderDeps } from "./batch-reader.ts";

const MIB = 1024 * 1024;

/** Two records that are small in the log. Their memory moves to the thread, so that their payloads are empty after it. */
function openReader(size: number): BatchReader {
  const positions = [0, 100, 200].map((offset) => ({ segment: 1, offset }));
  const records = [0, 1].map((nth) => ({
    payload: Buffer.alloc(0),
    check: nth,
    size,
    position: positions[nth] ?? assert.fail(),
    next: positions[nth + 1] ?? assert.fail(),
  }));
  const end = positions[2] ?? assert.fail();
  const deps: BatchReaderDeps = {
    nodeId: "n",
    log: { read: async () => ({ records, next: end }), end: () => end },
    transform: { allocate: Buffer.alloc, run: () => new Promise(() => undefined) },
  };
  return new BatchReader(deps, new AbortController().signal);
}

test("a batch that is full of packed records is full, so that the next one is read ahead", async () => {
  const isFull = async (size: number) => (await openReader(size).read({ segment: 1, offset: 0 }))?.full;
  assert.deepEqual([await isFull(11 * MIB), await isFull(1 * MIB)], [true, false]);
});
