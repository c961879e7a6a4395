import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { comparePositions } from "../../../src/ingest/log-position.ts";
import { killEngine, startTestEngine, type TestEngine, temporaryDir } from "../../support/engine.ts";
import { sampleEvent } from "../../support/events.ts";
import { createTestWriter, selectNumber, startLocalEngine } from "../../support/local-engine.ts";
import { waitFor } from "../../support/wait.ts";
import { startNode } from "../../support/writer-node.ts";

const { signal } = new AbortController();

function idsOf(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${name}-${String(i).padStart(4, "0")}`);
}

function countIds(host: Pick<TestEngine, "engine">): Promise<number> {
  return selectNumber(host.engine, "SELECT count(DISTINCT message_id) AS n FROM events");
}

describe("the event log is needed until a checkpoint", () => {
  test("a batch is durable after a checkpoint, not before; the engine makes one after 100,000 rows", async (t) => {
    const local = await startLocalEngine();
    t.after(() => local.stop());
    const { engine } = local;
    const store = await engine.openBatchStore({ nodeId: "n", cursorFile: "" });
    const write = await createTestWriter(engine, "n");
    await write("p", [sampleEvent("one")], Date.now());
    const { done } = await store.position();
    assert.ok(existsSync(`${local.path}.wal`));
    assert.deepEqual(await store.flush(signal), done);
    assert.ok(!existsSync(`${local.path}.wal`), "everything is in the file");
    await write("p", [sampleEvent("two")], Date.now());
    const { done: next } = await store.position();
    assert.ok(comparePositions(next, done) > 0);
    const empty = { from: next, to: { segment: 2, offset: 1 }, token: "" };
    const nothing = {
      form: "columns" as const,
      events: [],
      starts: new Uint32Array(),
      parked: new Uint8Array(),
    };
    const batch = { ...nothing, eventCount: 0, ledger: [], partitions: [], firstReceivedAtMs: 0 };
    const { durable } = await store.store(batch, empty, signal);
    assert.deepEqual(durable, done, "two is in the write-ahead log alone");
    // As many rows as make a checkpoint due, told and not sent.
    await store.store(
      { ...batch, eventCount: 100_000 },
      { ...empty, from: empty.to, to: { segment: 2, offset: 2 } },
      signal,
    );
    await waitFor("the checkpoint", () => !existsSync(`${local.path}.wal`));
  });

  test("a checkpoint runs concurrently with any number of reads", async (t) => {
    const local = await startLocalEngine();
    t.after(() => local.stop());
    const store = await local.engine.openBatchStore({ nodeId: "n", cursorFile: "" });
    const write = await createTestWriter(local.engine, "n");
    let isDone = false;
    const read = async () => {
      while (!isDone) await selectNumber(local.engine, "SELECT sum(events) AS n FROM sessions");
    };
    const reads = [read(), read(), read()];
    try {
      for (let round = 0; round < 10; round += 1) {
        await write("p", [sampleEvent(`m-${round}`)], Date.now());
        assert.deepEqual(await store.flush(signal), (await store.position()).done);
      }
    } finally {
      isDone = true;
      await Promise.all(reads);
    }
  });

  test("losing the write-ahead log between two starts loses no event: the event log has them", async (t) => {
    const dir = temporaryDir();
    const log = mkdtempSync(join(tmpdir(), "log-"));
    t.after(() => {
      for (const path of [dir, log]) rmSync(path, { recursive: true, force: true });
    });
    const first = await startTestEngine({ dir });
    let mayFlush = true;
    const node = await startNode(log, first.engine, {
      segmentBytes: 16 * 1024,
      // The writer makes a checkpoint when it was idle for two seconds, which a busy machine may give it.
      wrap: (store) => ({
        ...store,
        flush: async (stopped) => {
          if (!mayFlush) throw new Error("no checkpoint but the one of the test");
          return store.flush(stopped);
        },
      }),
    });
    for (const id of idsOf("a", 40)) await node.append("p", [id]);
    await waitFor("the first events", async () => (await countIds(first)) === 40);
    await node.store.flush(signal);
    mayFlush = false;
    for (const id of idsOf("b", 40)) await node.append("p", [id]);
    await waitFor("all events", async () => (await countIds(first)) === 80);
    // As in a power cut: nothing is closed.
    process.kill(first.supervisor.status().pid ?? 0, "SIGKILL");
    // Before it starts another one, which would be closed with a checkpoint.
    await first.supervisor.stop();
    await node.stop();
    await first.engine.close();
    rmSync(join(dir, "warehouse.duckdb.wal"));

    const second = await startTestEngine({ dir });
    t.after(() => second.stop());
    assert.equal(await countIds(second), 40, "what the checkpoint had");
    const again = await startNode(log, second.engine, { segmentBytes: 16 * 1024 });
    t.after(() => again.stop());
    await waitFor("the rest from the log", async () => (await countIds(second)) === 80);
    assert.equal(await selectNumber(second.engine, "SELECT count(*) AS n FROM events"), 80);
    assert.equal(await selectNumber(second.engine, "SELECT sum(events) AS n FROM ledger"), 80);
    assert.equal(await selectNumber(second.engine, "SELECT sum(events) AS n FROM sessions"), 80);
  });

  test("a running writer continues from the engine's cursor when the engine comes back with less", async (t) => {
    const host = await startTestEngine();
    const log = mkdtempSync(join(tmpdir(), "log-"));
    t.after(async () => {
      await host.stop();
      rmSync(log, { recursive: true, force: true });
    });
    const node = await startNode(log, host.engine);
    t.after(() => node.stop());
    await node.append("p", idsOf("a", 20));
    await waitFor("the first events", async () => (await countIds(host)) === 20);
    // As after restoring the file: the cursor is behind the writer's own position.
    await host.engine.select("DELETE FROM events");
    await host.engine.select("DELETE FROM log_cursors");
    await node.append("p", idsOf("b", 20));
    await waitFor("all of the log", async () => (await countIds(host)) === 40);
    assert.deepEqual((await node.store.position()).done, node.log.end());
  });

  test("a log that is nearly full, or idle for two seconds, is released by a checkpoint", async (t) => {
    const host = await startTestEngine();
    const log = mkdtempSync(join(tmpdir(), "log-"));
    t.after(async () => {
      await host.stop();
      rmSync(log, { recursive: true, force: true });
    });
    const node = await startNode(log, host.engine, { segmentBytes: 8 * 1024, crowdedBytes: 64 * 1024 });
    t.after(() => node.stop());
    const path = join(host.dir, "warehouse.duckdb.wal");
    await Promise.all(idsOf("crowd", 300).map((id) => node.append("p", [id])));
    await waitFor("the log to be released", () => node.log.stats().segments === 1);
    await waitFor("the write-ahead log to be empty", () => !existsSync(path));
    assert.deepEqual(await node.store.flush(signal), node.log.end());
    await killEngine(host);
    assert.equal(await countIds(host), 300);
    assert.deepEqual((await node.store.position()).done, node.log.end());
  });
});
