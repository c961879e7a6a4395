import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type AnalyticsEngine, connectAnalytics } from "../../src/engines/analytics.ts";
import { migrateWarehouse, readSchema, toSchemaFile } from "../../src/warehouse/migrate.ts";
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
