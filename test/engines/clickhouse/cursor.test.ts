import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { CursorError, type CursorState, openCursor } from "../../../src/engines/clickhouse/cursor.ts";
import { LOG_START } from "../../../src/ingest/log-position.ts";
import { SEED } from "../../../src/lib/testing.ts";
import { createFaultyFiles, createMemoryDisk } from "../../support/faulty-files.ts";

const PATH = "disk/cursor";
const at = (offset: number) => ({ segment: 1, offset });

it("starts at the beginning of the log, and returns the last stored state", async () => {
  const { files } = createMemoryDisk();
  let cursor = await openCursor(files, PATH);
  assert.deepEqual(cursor.get(), { done: LOG_START });
  const states: CursorState[] = [
    { done: at(64), pending: { end: at(900) } },
    { done: at(900) },
    { done: at(900), pending: { end: at(1200) } },
  ];
  for (const state of states) {
    await cursor.store(state);
    assert.deepEqual(cursor.get(), state);
    await cursor.close();
    cursor = await openCursor(files, PATH);
    assert.deepEqual(cursor.get(), state);
  }
  const first = cursor.store({ done: at(1300) });
  await assert.rejects(cursor.store({ done: at(1400) }), /already/);
  await first;
});

it("has the last stored state, or the one being stored, after a power cut at any call", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 25 }), fc.infiniteStream(fc.boolean()), async (cutAt, coins) => {
      const disk = createMemoryDisk();
      let calls = 0;
      let after = createMemoryDisk();
      let allowed = [0, 0];
      let stored = 0;
      const { files } = createFaultyFiles(() => {
        calls += 1;
        if (calls === cutAt) {
          after = disk.cutPower(() => coins.next().value);
          allowed = [stored, stored + 1];
        }
        return undefined;
      }, disk.files);
      const cursor = await openCursor(files, PATH);
      for (let i = 1; i <= 12; i += 1) {
        await cursor.store({ done: { segment: i, offset: 0 } });
        stored = i;
      }
      const again = await openCursor(after.files, PATH);
      assert.ok(
        allowed.includes(again.get().done.segment),
        `${again.get().done.segment} instead of ${allowed.join(" or ")}`,
      );
    }),
    { seed: SEED, numRuns: 300 },
  );
});

it("keeps the previous state when a write fails, and stores the next one", async () => {
  for (const op of ["write", "fdatasync"] as const) {
    const disk = createMemoryDisk();
    let failing = false;
    const { files } = createFaultyFiles((call) => (failing && call.op === op ? "EIO" : undefined), disk.files);
    const cursor = await openCursor(files, PATH);
    await cursor.store({ done: at(100) });
    failing = true;
    for (let i = 0; i < 3; i += 1) await assert.rejects(cursor.store({ done: at(200) }), /EIO/);
    assert.deepEqual(cursor.get(), { done: at(100) });
    const crashed = await openCursor(disk.cutPower(() => false).files, PATH);
    assert.deepEqual(crashed.get(), { done: at(100) });
    failing = false;
    await cursor.store({ done: at(300) });
    const again = await openCursor(disk.cutPower(() => false).files, PATH);
    assert.deepEqual(again.get(), { done: at(300) });
  }
});

it("fails when the file is damaged, instead of starting at the beginning", async () => {
  const { files } = createMemoryDisk();
  await (await openCursor(files, PATH)).store({ done: at(64) });
  const file = await files.open(PATH, "update");
  await file.write(Buffer.alloc(8192, 7), 0);
  await assert.rejects(openCursor(files, PATH), CursorError);
});
