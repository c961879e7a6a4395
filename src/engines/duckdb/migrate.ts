/**
 * Applies the schema files in order, each once and in its own transaction, and then fills columns that need more than
 * one. An applied file is never edited.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { EngineRefused } from "../failures.ts";
import type { Database } from "./database.ts";
import { NEWEST_SCHEMA } from "./newest-schema.ts";
import { readRows } from "./rows.ts";
import { SCHEMA_FILES } from "./schema-files.ts";
import { fillStatus } from "./status.ts";

export { NEWEST_SCHEMA };

const CREATE_MIGRATIONS = `CREATE TABLE IF NOT EXISTS schema_migrations
  (version INTEGER PRIMARY KEY, name VARCHAR NOT NULL, checksum VARCHAR NOT NULL)`;

export async function migrate(database: Database, { upTo = NEWEST_SCHEMA } = {}): Promise<void> {
  const applied = await findSchemaVersion(database);
  for (const file of SCHEMA_FILES.slice(applied, upTo)) {
    await database.write(async (connection) => {
      await connection.run(CREATE_MIGRATIONS);
      await connection.run(file.sql);
      const { version, name, checksum } = file;
      await connection.run("INSERT INTO schema_migrations VALUES ($version, $name, $checksum)", {
        version,
        name,
        checksum,
      });
    });
  }
  if (upTo === NEWEST_SCHEMA) await fillStatus(database);
}

/** 0 for an empty file. Refuses a schema of a newer release, and a schema file that was edited. */
export async function findSchemaVersion(database: Database): Promise<number> {
  const rows = await database.alone(readApplied);
  for (const row of rows) {
    const file = SCHEMA_FILES[row.version - 1];
    if (file === undefined)
      throw new EngineRefused(
        `the warehouse has schema ${row.name}, which this version does not know; start a newer version`,
      );
    if (file.checksum !== row.checksum)
      throw new EngineRefused(`the released schema file ${file.name} was edited after it had been applied`);
  }
  return rows.length;
}

/**
 * The newest statement that creates a table, and those that altered it since. A rebuild creates a dropped derived table
 * with them, under its own name or another one.
 */
export function tableSql(table: string, as = table): string {
  const created = new RegExp(`^CREATE TABLE ${table}\\n[^;]+;`, "m");
  const altered = new RegExp(`^ALTER TABLE ${table} [^;]+;`, "gm");
  const newest = SCHEMA_FILES.findLastIndex(({ sql }) => created.test(sql));
  if (newest === -1) throw new Error(`the schema does not create ${table}`);
  const [first = "", ...later] = SCHEMA_FILES.slice(newest).map(({ sql }) => sql);
  const statements = [created.exec(first)?.[0] ?? "", ...later.flatMap((sql) => sql.match(altered) ?? [])];
  return statements.map((sql) => sql.replace(`TABLE ${table}`, `TABLE ${as}`)).join("\n");
}

async function readApplied(
  connection: DuckDBConnection,
): Promise<{ version: number; name: string; checksum: string }[]> {
  const found = await connection.runAndReadAll("SELECT 1 FROM duckdb_tables() WHERE table_name = 'schema_migrations'");
  if (found.currentRowCount === 0) return [];
  const rows = await connection.runAndReadAll("SELECT version, name, checksum FROM schema_migrations ORDER BY version");
  return readRows(rows) as { version: number; name: string; checksum: string }[];
}
