import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { EngineRefused } from "../failures.ts";
import type { Clickhouse } from "./database.ts";
import { derivedSchema, findSchemaVersion, migrate, NEWEST_SCHEMA, splitStatements } from "./migrate.ts";

interface Applied {
  version: number;
  name: string;
  checksum: string;
}

/** A ClickHouse that records its migrations and the commands it received. */
function fakeClickhouse(
  found: { tables?: Record<string, string>; applied?: Applied[]; cluster?: string; isMissing?: boolean } = {},
) {
  const applied = found.applied ?? [];
  const said: string[] = [];
  let isMissing = found.isMissing ?? false;
  const clickhouse: Clickhouse = {
    database: "sextant",
    cluster: found.cluster,
    async select<T>(sql: string) {
      if (isMissing) throw new EngineRefused("Database sextant does not exist", { code: 81 });
      const tables = { ...found.tables, ...(applied.length > 0 ? { schema_migrations: "ReplacingMergeTree" } : {}) };
      const rows = sql.includes("system.tables")
        ? Object.entries(tables).map(([name, engine]) => ({ name, engine }))
        : applied;
      return { rows: rows as T[], statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } };
    },
    async command(sql) {
      said.push(sql);
      if (sql.startsWith("CREATE DATABASE")) isMissing = false;
    },
    stream: () => Promise.reject(new Error("not used")),
    insert: async ({ body }) => void applied.push(JSON.parse(Buffer.from(body).toString()) as Applied),
    ping: async () => undefined,
    close: async () => undefined,
  };
  return { clickhouse, said, applied };
}

describe("the schema of ClickHouse", () => {
  test("is applied once, file by file, and the database made where it is missing", async () => {
    const { clickhouse, said, applied } = fakeClickhouse({ isMissing: true });
    assert.equal(await findSchemaVersion(clickhouse), 0);
    await migrate(clickhouse, { upTo: 1 });
    assert.equal(said[0], "CREATE DATABASE IF NOT EXISTS `sextant`");
    assert.equal(await findSchemaVersion(clickhouse), 1);
    await migrate(clickhouse);
    assert.deepEqual(
      applied.map(({ version }) => version),
      Array.from({ length: NEWEST_SCHEMA }, (_, nth) => nth + 1),
    );
    const before = said.length;
    await migrate(clickhouse);
    assert.equal(said.length, before, "nothing to change is nothing to wait for");
  });

  test("can be applied twice, by a node that starts at the same time", () => {
    for (const sql of derivedSchema({ database: "sextant", cluster: undefined }))
      assert.match(sql, /^(CREATE (TABLE IF NOT EXISTS|OR REPLACE VIEW)|ALTER TABLE \w+ ADD COLUMN IF NOT EXISTS) /);
  });

  const refused: [name: string, found: Parameters<typeof fakeClickhouse>[0], message: RegExp][] = [
    [
      "of a newer version",
      { applied: [{ version: NEWEST_SCHEMA + 1, name: "0009_next", checksum: "" }] },
      /0009_next, which this version does not know/,
    ],
    ["that was edited", { applied: [{ version: 1, name: "0001_migrations", checksum: "other" }] }, /was edited after/],
    ["of a cluster", { tables: { events_rows: "Distributed" } }, /set SEXTANT_CLICKHOUSE_CLUSTER/],
    ["of a single server", { tables: { events_rows: "ReplacingMergeTree" }, cluster: "main" }, /leave it unset/],
    ["of a version before 0.1.0", { tables: { closed_days: "MergeTree" } }, /start with an empty database/],
  ];
  for (const [name, found, message] of refused) {
    test(`refuses one ${name}`, async () => {
      const { clickhouse, said } = fakeClickhouse(found);
      await assert.rejects(migrate(clickhouse), { name: "EngineRefused", message });
      await assert.rejects(findSchemaVersion(clickhouse), { name: "EngineRefused", message });
      assert.deepEqual(said, []);
    });
  }

  test("is split into statements without its comments", () => {
    const sql = "-- a; b\nCREATE TABLE a (\n    -- why\n    x String\n);\n\nCREATE VIEW b AS SELECT ';' AS x;\n";
    assert.deepEqual(splitStatements(sql), ["CREATE TABLE a (\n    x String\n)", "CREATE VIEW b AS SELECT ';' AS x"]);
  });
});
