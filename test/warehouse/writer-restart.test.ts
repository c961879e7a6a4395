import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type AnalyticsEngine, connectAnalytics } from "../../src/engines/analytics.ts";
import { migrateWarehouse } from "../../src/warehouse/migrate.ts";
import { startTestEngine, type TestEngine } from "../support/engine.ts";
import { waitFor } from "../support/wait.ts";
import { selectNumber } from "../support/warehouse.ts";
import { startNode } from "../support/writer-node.ts";

describe("a writer that starts again", () => {
  let host: TestEngine;
  let engine: AnalyticsEngine;
  const root = mkdtempSync(join(tmpdir(), "writer-"));
  before(async () => {
    host = await startTestEngine();
    engine = connectAnalytics({
      url: () => host.engine.url(),
      username: host.engine.username,
      password: host.engine.password,
      database: "sextant",
    });
    await migrateWarehouse(engine, { database: "sextant" });
  });
  after(async () => {
    await engine.close();
    await host.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const stored = (project: string) =>
    selectNumber(engine, `SELECT count() AS n FROM events FINAL WHERE project_id = '${project}'`);

  test("at places that were written before, under the same node id: a new log and a copied one lose nothing", async () => {
    const [first, fresh, copy] = ["first", "fresh", "copy"].map((name) => join(root, name)) as [string, string, string];
    const storeOne = async (dir: string, id: string, total: number) => {
      const node = await startNode(dir, engine);
      await node.append("places", [id]);
      await waitFor(`${id} to be stored`, async () => (await stored("places")) === total).finally(node.stop);
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
      const crashing: Pick<AnalyticsEngine, "insert"> = {
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
      await waitFor("the log to drain", () => second.cursor.get().pending === undefined && tokens.length === 3).finally(
        second.stop,
      );
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
});
