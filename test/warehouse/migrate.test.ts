import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, it } from "node:test";
import { fileURLToPath } from "node:url";
import { FORMAT, type Manifest } from "../../src/backup/manifest.ts";
import { refuseUsedWarehouse, restoreWarehouse } from "../../src/backup/restore.ts";
import { saveWarehouse } from "../../src/backup/warehouse-files.ts";
import { type AnalyticsEngine, connectAnalytics, EngineRefused } from "../../src/engines/analytics.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createRunReport } from "../../src/query/run.ts";
import { createTurns } from "../../src/query/turns.ts";
import {
  inspectWarehouse,
  migrateWarehouse,
  NEWEST_WAREHOUSE,
  readSchema,
  refuseOlderWarehouse,
  toSchemaFile,
} from "../../src/warehouse/migrate.ts";
import { rebuildDerived } from "../../src/warehouse/rebuild.ts";
import { startTestEngine, type TestEngine } from "../support/engine.ts";

const ONE = toSchemaFile(1, "0001_schema_migrations", readFirst());
const TWO = toSchemaFile(
  2,
  "0002_x",
  "CREATE TABLE IF NOT EXISTS x (a UInt8) ENGINE = MergeTree ORDER BY a; -- more\n",
);

let test: TestEngine;
before(async () => {
  test = await startTestEngine();
});
after(() => test.stop());

function readFirst(): string {
  const [first] = readSchema(fileURLToPath(new URL("../../src/warehouse/schema/", import.meta.url)));
  assert.ok(first !== undefined);
  return first.statements.join(";\n");
}

async function withEngine(database: string, use: (engine: AnalyticsEngine) => Promise<void>): Promise<void> {
  const { username, password } = test.engine;
  const engine = connectAnalytics({ url: () => test.engine.url(), username, password, database });
  try {
    await use(engine);
  } finally {
    await engine.close();
  }
}

it("every file is applied once and recorded", () =>
  withEngine("once", async (engine) => {
    assert.deepEqual(await migrateWarehouse(engine, { database: "once", files: [ONE] }), ["0001_schema_migrations"]);
    assert.deepEqual(await migrateWarehouse(engine, { database: "once", files: [ONE, TWO] }), ["0002_x"]);
    assert.deepEqual(await migrateWarehouse(engine, { database: "once", files: [ONE, TWO] }), []);
    const { data } = await engine.selectJson("SELECT version, name FROM schema_migrations FINAL ORDER BY version");
    assert.deepEqual(data, [
      { version: 1, name: "0001_schema_migrations" },
      { version: 2, name: "0002_x" },
    ]);
  }));

it("the files of this version apply", () =>
  withEngine("current", async (engine) => {
    const applied = await migrateWarehouse(engine, { database: "current" });
    assert.equal(applied[0], "0001_schema_migrations");
  }));

it("several nodes that start at once end with one schema", () =>
  withEngine("race", async (engine) => {
    const start = () => migrateWarehouse(engine, { database: "race", files: [ONE, TWO] });
    await Promise.all([start(), start(), start(), start()]);
    const { data } = await engine.selectJson("SELECT count() AS n FROM schema_migrations FINAL");
    assert.deepEqual(data, [{ n: 2 }]);
  }));

it("a file that fails in the middle is run again as a whole", () =>
  withEngine("half", async (engine) => {
    const broken = toSchemaFile(2, "0002_x", `${TWO.statements[0]}; CREATE NONSENSE`);
    await assert.rejects(migrateWarehouse(engine, { database: "half", files: [ONE, broken] }));
    assert.deepEqual(await migrateWarehouse(engine, { database: "half", files: [ONE, TWO] }), ["0002_x"]);
  }));

it("an edited file and a newer warehouse are refused", () =>
  withEngine("strange", async (engine) => {
    await migrateWarehouse(engine, { database: "strange", files: [ONE, TWO] });
    const edited = toSchemaFile(2, "0002_x", "CREATE TABLE IF NOT EXISTS x (a UInt16) ENGINE = MergeTree ORDER BY a");
    await assert.rejects(migrateWarehouse(engine, { database: "strange", files: [ONE, edited] }), {
      message: "the released schema file 0002_x was edited after it had been applied",
    });
    await assert.rejects(migrateWarehouse(engine, { database: "strange", files: [ONE] }), {
      message: "the warehouse has schema 0002_x, which this version does not know; start a newer version",
    });
  }));

function manifestOf(schema: number, files: Manifest["files"]): Manifest {
  return {
    ...{ format: FORMAT, sextant: "0", createdAt: "", secret: "setting", files },
    control: { store: "sqlite", schema: 0, rows: {} },
    warehouse: { schema, rows: {} },
  };
}

/** What a report says of that day. */
async function askReport(engine: AnalyticsEngine, day: string): Promise<unknown> {
  const turns = createTurns({ running: 1, waiting: 0, waitMs: 1 });
  const run = createRunReport({ engine, clock: systemClock, turns });
  const scope = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
  const query = { limit: 50, offset: 0, date_from: day, date_to: day };
  const { body } = await run("top_sources", scope, query, new AbortController().signal);
  return (JSON.parse(await text(body)) as { data: unknown }).data;
}

for (let older = 2; older < NEWEST_WAREHOUSE; older += 1)
  it(`a warehouse of schema ${older} is looked at and saved as it is; upgraded or restored, it has the same rows and reports`, (t) =>
    withEngine(`older_${older}`, async (engine) => {
      const where = { database: `older_${older}`, cluster: undefined };
      const dir = mkdtempSync(join(tmpdir(), "backup-"));
      t.after(() => rmSync(dir, { recursive: true, force: true }));
      assert.equal(await inspectWarehouse(engine, where), 0);
      await refuseUsedWarehouse(engine, where.database);
      await migrateWarehouse(engine, { ...where, upTo: older });
      assert.equal(await inspectWarehouse(engine, where), older);
      await assert.rejects(refuseOlderWarehouse(engine, where), /start the service, it upgrades by itself/);
      await assert.rejects(refuseUsedWarehouse(engine, where.database), /is in use already/);
      const stored = {
        project_id: "p",
        day: "2026-03-10",
        timestamp: "2026-03-10 12:00:00",
        type: "page",
        referrer: "x.com",
      };
      const rows = ["a\tb", "c"].map((id) => JSON.stringify({ ...stored, message_id: id, anonymous_id: id }));
      await engine.insert({ table: "events", body: Buffer.from(rows.join("\n")) });
      // The writer of a schema without `event_days` has named no day.
      const named = { project_id: "p", day: "2026-03-10", key_day: "2026-03-10", touched_at: "2026-03-10 12:00:00" };
      if (older > 2) await engine.insert({ table: "event_days", body: Buffer.from(JSON.stringify(named)) });
      const read = async (from: AnalyticsEngine) =>
        (await from.selectJson("SELECT project_id, message_id, day FROM events FINAL ORDER BY message_id")).data;
      const before = await read(engine);
      assert.equal(before.length, 2);
      const files = await saveWarehouse(engine, where.database, dir, () => undefined);

      await migrateWarehouse(engine, where);
      await refuseOlderWarehouse(engine, where);
      assert.deepEqual(await read(engine), before);
      const report = await askReport(engine, "2026-03-10");
      assert.deepEqual(report, [{ project_id: "p", referrer: "x.com", hits: 2, sessions: 2, visitors: 2 }]);
      assert.deepEqual(await rebuildDerived(engine, where), { done: 1, total: 1 });
      assert.deepEqual(await askReport(engine, "2026-03-10"), report, "the same from the closed day");
      await withEngine(`restored_${older}`, async (fresh) => {
        const backup = { dir, manifest: manifestOf(older, files) };
        const place = { database: `restored_${older}`, cluster: undefined };
        assert.equal((await restoreWarehouse(backup, fresh, place, () => undefined)).events, 2);
        await refuseOlderWarehouse(fresh, place);
        assert.deepEqual(await read(fresh), before);
        assert.deepEqual(await askReport(fresh, "2026-03-10"), report);
      });
    }));

it("a restore onto a cluster makes the database on all of its nodes", async () => {
  const commands: string[] = [];
  let isMade = false;
  const engine = {
    async command(sql: string) {
      commands.push(sql);
      isMade = true;
    },
    async selectJson<T>() {
      if (!isMade) throw new EngineRefused("no such database", { code: 81 });
      return { meta: [], data: [] as T[], rows: 0, statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } };
    },
    insert: async () => ({ writtenRows: 1 }),
  };
  const backup = { dir: "", manifest: manifestOf(NEWEST_WAREHOUSE, []) };
  await restoreWarehouse(backup, engine, { database: "many", cluster: "all" }, () => undefined);
  const made = commands.filter((sql) => sql.startsWith("CREATE DATABASE"));
  assert.deepEqual(made, ["CREATE DATABASE IF NOT EXISTS `many` ON CLUSTER 'all'"]);
});
