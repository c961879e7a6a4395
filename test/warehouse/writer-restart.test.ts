import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/analytics.ts";
import type { WriterMetrics } from "../../src/warehouse/writer.ts";
import { waitFor } from "../support/wait.ts";
import { selectNumber, startTestWarehouse, type TestWarehouse } from "../support/warehouse.ts";
import { startNode, type WriterNode } from "../support/writer-node.ts";

async function stopAfter(node: WriterNode, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } finally {
    await node.stop();
  }
}

describe("a writer that starts again", () => {
  let warehouse: TestWarehouse;
  let engine: AnalyticsEngine;
  const root = mkdtempSync(join(tmpdir(), "writer-"));
  before(async () => {
    warehouse = await startTestWarehouse();
    engine = warehouse.engine;
  });
  after(async () => {
    await warehouse.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const stored = (project: string) =>
    selectNumber(engine, `SELECT count() AS n FROM events FINAL WHERE project_id = '${project}'`);

  test("at places that were written before, under the same node id: a new log and a copied one lose nothing", async () => {
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

  for (const table of ["events", "ledger"]) {
    test(`after a crash behind the insert into ${table}: the same batch under the same token, each row and count once`, async () => {
      const dir = join(root, table);
      const project = `crash-${table}`;
      const tokens: (string | undefined)[] = [];
      let crashed = false;
      const crashing: AnalyticsEngine = {
        ...engine,
        async insert(call) {
          if (call.table === "events") tokens.push(call.dedupeToken);
          const done = await engine.insert(call);
          if (call.table === table && !crashed) {
            crashed = true;
            // Nothing behind the insert happens any more: not the next one, not the cursor.
            await new Promise((_, reject) => call.signal?.addEventListener("abort", () => reject(new Error("killed"))));
          }
          return done;
        },
      };
      const first = await startNode(dir, crashing);
      await first.append(project, ["c-1", "c-2", "c-1"]);
      await waitFor("the crash", () => crashed);
      await first.append(project, ["c-3"]);
      await first.stop();
      assert.ok(first.cursor.get().pending, "the cursor knows what was under way");
      const second = await startNode(dir, crashing);
      const drained = () => second.cursor.get().pending === undefined && tokens.length === 3;
      await stopAfter(second, waitFor("the log to drain", drained));
      assert.equal(tokens[1], tokens[0]);
      assert.notEqual(tokens[2], tokens[0]);
      const { data: rows } = await engine.selectJson(
        `SELECT message_id AS id, count() AS n FROM events WHERE project_id = '${project}' GROUP BY id ORDER BY id`,
      );
      assert.deepEqual(
        rows,
        ["c-1", "c-2", "c-3"].map((id) => ({ id, n: 1 })),
        "without FINAL: the token alone did it",
      );
      const { data: ledger } = await engine.selectJson(
        `SELECT DISTINCT batch, outcome, events FROM ledger WHERE project_id = '${project}' ORDER BY events`,
      );
      assert.deepEqual(ledger, [
        { batch: tokens[2], outcome: "written", events: 1 },
        { batch: tokens[0], outcome: "written", events: 3 },
      ]);
    });
  }

  test("at a damaged record it stalls and says so, tries less and less often, and goes on when the record is mended", async () => {
    const dir = join(root, "damaged");
    let nowMs = Date.now();
    const retries: number[] = [];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const slow: AnalyticsEngine = {
      ...engine,
      insert: async (call) => {
        await held;
        return engine.insert(call);
      },
    };
    const node = await startNode(dir, slow, {
      clock: { nowMs: () => nowMs },
      observe: { retried: () => void retries.push(nowMs) },
    });
    try {
      await node.append("damaged", ["x-1"]);
      await waitFor("the first batch to be under way", () => node.cursor.get().pending);
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

  test("rows the engine refuses count as parked, not as stored", async () => {
    const counts: Record<string, number> = {};
    const observe: Partial<WriterMetrics> = {
      stored(entries) {
        for (const { outcome, reason, events } of entries) {
          const name = `${outcome} ${reason}`;
          counts[name] = (counts[name] ?? 0) + events;
        }
      },
    };
    await engine.command("ALTER TABLE events ADD CONSTRAINT no_bad CHECK message_id != 'bad'");
    const node = await startNode(join(root, "refused"), engine, { observe });
    await node.append("refused", ["good", "bad", "fine"]);
    await stopAfter(
      node,
      waitFor("the batch", () => counts["written "] !== undefined),
    );
    await engine.command("ALTER TABLE events DROP CONSTRAINT no_bad");
    assert.deepEqual(counts, { "written ": 2, "parked warehouse_refused": 1 });
  });
});
