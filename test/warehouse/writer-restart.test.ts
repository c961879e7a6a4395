import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { BatchRange } from "../../src/engines/batch.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { selectNumber, startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";
import { waitFor } from "../support/wait.ts";
import { startNode, type WriterNode } from "../support/writer-node.ts";

async function stopAfter(node: WriterNode, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } finally {
    await node.stop();
  }
}

describe("a restarted writer", () => {
  let local: TestLocalEngine;
  let engine: AnalyticsEngine;
  const root = mkdtempSync(join(tmpdir(), "writer-"));
  before(async () => {
    local = await startLocalEngine();
    engine = local.engine;
  });
  after(async () => {
    await local.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const stored = (project: string) =>
    selectNumber(engine, `SELECT count(*) AS n FROM events WHERE project_id = '${project}'`);

  test("loses nothing at reused positions of a new or a copied log under the same node id", async () => {
    const [first, fresh, copy] = ["first", "fresh", "copy"].map((name) => join(root, name)) as [string, string, string];
    const storeOne = async (dir: string, id: string, total: number) => {
      const node = await startNode(dir, engine);
      await node.append("places", [id]);
      await stopAfter(
        node,
        waitFor(`${id} to be stored`, async () => (await stored("places")) === total),
      );
    };
    await storeOne(first, "event-1", 1);
    cpSync(first, copy, { recursive: true });
    await storeOne(fresh, "event-2", 2);
    await storeOne(first, "event-3", 3);
    await storeOne(copy, "event-4", 4);
  });

  test("continues after a crash between a batch's commit and its answer, with each row and count once", async () => {
    const dir = join(root, "crash");
    const ranges: BatchRange[] = [];
    let crashed = false;
    const node = await startNode(dir, engine, {
      wrap: (store) => ({
        ...store,
        async store(batch, range, signal) {
          await store.store(batch, range, signal);
          ranges.push(range);
          crashed = true;
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("killed"))));
        },
      }),
    });
    await node.append("crash", ["c-1", "c-2", "c-1"]);
    await waitFor("the crash", () => crashed);
    await node.append("crash", ["c-3"]);
    await node.stop();
    const [cut] = ranges;
    assert.deepEqual((await node.store.position()).done, cut?.to);
    const second = await startNode(dir, engine);
    await stopAfter(
      second,
      waitFor("the log to drain", async () => (await stored("crash")) === 3),
    );
    const { rows } = await engine.select(
      "SELECT message_id AS id, count(*) AS n FROM events WHERE project_id = 'crash' GROUP BY id ORDER BY id",
    );
    assert.deepEqual(
      rows,
      ["c-1", "c-2", "c-3"].map((id) => ({ id, n: 1 })),
    );
    const { rows: ledger } = await engine.select(
      "SELECT outcome, sum(events) AS n FROM ledger WHERE project_id = 'crash' GROUP BY outcome ORDER BY outcome",
    );
    assert.deepEqual(ledger, [
      { outcome: "duplicate", n: 1 },
      { outcome: "stored", n: 3 },
    ]);
  });

  test("stalls at a damaged record and reports it, retries with backoff, and continues after its repair", async () => {
    const dir = join(root, "damaged");
    let nowMs = Date.now();
    const retries: number[] = [];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let underWay = false;
    const node = await startNode(dir, engine, {
      clock: { nowMs: () => nowMs },
      observe: { retried: () => void retries.push(nowMs) },
      wrap: (store) => ({
        ...store,
        async store(batch, range, signal) {
          underWay = true;
          await held;
          return store.store(batch, range, signal);
        },
      }),
    });
    try {
      await node.append("damaged", ["x-1"]);
      await waitFor("the first batch to be under way", () => underWay);
      const { segment, offset } = node.log.end();
      await node.append("damaged", ["x-2"]);
      const file = join(dir, "log", `${String(segment).padStart(12, "0")}.log`);
      const flipByte = () => {
        const bytes = readFileSync(file);
        bytes.writeUInt8(bytes.readUInt8(offset + 100) ^ 1, offset + 100);
        writeFileSync(file, bytes);
      };
      flipByte();
      release();
      const startedAt = performance.now();
      await waitFor("a few tries", () => retries.length === 3);
      assert.ok(performance.now() - startedAt > 1_400, "0.5 s and 1 s apart");
      assert.equal(node.writer.isStalled(), false, "a minute is not over");
      nowMs += 61_000;
      assert.equal(node.writer.isStalled(), true);
      flipByte();
      await waitFor("the second event", async () => (await stored("damaged")) === 2);
      await waitFor("the writer to be idle", () => !node.writer.isStalled());
      nowMs += 3_600_000;
      assert.equal(node.writer.isStalled(), false, "with nothing to do it is not stalled");
    } finally {
      await node.stop();
    }
  });

  test("counts copies as duplicates, not as stored", async () => {
    const counts: Record<string, number> = {};
    const node = await startNode(join(root, "copies"), engine, {
      observe: {
        stored(entries) {
          for (const { outcome, events } of entries) counts[outcome] = (counts[outcome] ?? 0) + events;
        },
      },
    });
    await node.append("copies", ["one", "two", "one"]);
    await waitFor("the first batch", () => counts.stored === 2);
    await node.append("copies", ["two", "three"]);
    await stopAfter(
      node,
      waitFor("the second batch", () => counts.stored === 3),
    );
    assert.deepEqual(counts, { stored: 3, duplicate: 2 });
  });
});
