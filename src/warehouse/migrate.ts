import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AnalyticsEngine } from "../engines/analytics.ts";
import { splitStatements } from "../engines/embedded/statement.ts";
import { toClusterDdl } from "./cluster-ddl.ts";

/**
 * Applies schema/NNNN_name.sql in order, each once. ClickHouse has no lock and no transactional DDL, so every statement
 * must be one that can run twice (IF NOT EXISTS, ADD COLUMN IF NOT EXISTS ...): two nodes that start at once both run
 * it, and a crash in the middle of a file is healed by running the file again. A released file is never edited.
 */
export interface SchemaFile {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly statements: readonly string[];
}

export interface MigrateOptions {
  readonly database: string;
  /** Name of the ClickHouse cluster, when there is one. */
  readonly cluster?: string | undefined;
  readonly files?: readonly SchemaFile[];
  /** The last file to apply; without it all of them. */
  readonly upTo?: number;
}

type Engine = Pick<AnalyticsEngine, "command" | "selectJson" | "insert">;

interface Applied {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

/** The newest schema this version knows. */
export const NEWEST_WAREHOUSE = readdirSync(new URL("./schema/", import.meta.url)).length;

const SCHEMA_DIR = fileURLToPath(new URL("./schema/", import.meta.url));

/** Returns the names of the files that were applied now. */
export async function migrateWarehouse(engine: Engine, options: MigrateOptions): Promise<string[]> {
  const files = options.files ?? readSchema(SCHEMA_DIR);
  const { cluster, database } = options;
  const ddl = toDdl(files, options);
  const on = cluster === undefined ? "" : ` ON CLUSTER '${cluster}'`;
  await engine.command(`CREATE DATABASE IF NOT EXISTS \`${database}\`${on}`, { useDatabase: false });

  const applied = await findApplied(engine, database);
  refuseStrangers(files, applied);
  const done: string[] = [];
  for (const [index, file] of files.entries()) {
    if (applied.has(file.version) || file.version > (options.upTo ?? file.version)) continue;
    for (const statement of ddl[index] ?? []) await engine.command(statement);
    const row = { version: file.version, name: file.name, checksum: file.checksum };
    await engine.insert({ table: "schema_migrations", body: Buffer.from(JSON.stringify(row)) });
    done.push(file.name);
  }
  return done;
}

/** The schema of a warehouse that may be nobody's yet (0), without changing anything. */
export async function findWarehouseVersion(engine: Pick<Engine, "selectJson">, database: string): Promise<number> {
  return Math.max(0, ...(await findApplied(engine, database)).keys());
}

async function findApplied(engine: Pick<Engine, "selectJson">, database: string): Promise<Map<number, Applied>> {
  const known = await engine.selectJson(
    "SELECT name FROM system.tables WHERE database = {database:String} AND name = 'schema_migrations'",
    { params: { database } },
  );
  if (known.rows === 0) return new Map();
  const { data } = await engine.selectJson<Applied>("SELECT version, name, checksum FROM schema_migrations FINAL");
  return new Map(data.map((row) => [row.version, row]));
}

function refuseStrangers(files: readonly SchemaFile[], applied: ReadonlyMap<number, Applied>): void {
  for (const row of applied.values()) {
    const file = files.find(({ version }) => version === row.version);
    if (file === undefined) {
      throw new Error(`the warehouse has schema ${row.name}, which this version does not know; start a newer version`);
    }
    if (file.checksum !== row.checksum) {
      throw new Error(`the released schema file ${file.name} was edited after it had been applied`);
    }
  }
}

function toDdl(files: readonly SchemaFile[], { cluster, database }: MigrateOptions): ReadonlyArray<readonly string[]> {
  const statements = files.map((file) => file.statements);
  return cluster === undefined ? statements : toClusterDdl(statements, { cluster, database });
}

/** The statements of the tables that are derived from others, to make again what somebody dropped. */
export function derivedSchema(options: MigrateOptions): readonly string[] {
  const files = readSchema(SCHEMA_DIR);
  const ddl = toDdl(files, options);
  return files.flatMap((file, index) => (file.name.endsWith("_reports") ? (ddl[index] ?? []) : []));
}

export function readSchema(dir: string): SchemaFile[] {
  const names = readdirSync(dir).filter((name) => name.endsWith(".sql"));
  return names.sort().map((file, index) => {
    const version = Number(/^(\d{4})_/.exec(file)?.[1] ?? Number.NaN);
    if (version !== index + 1) throw new Error(`schema files must be numbered without gaps: ${file}`);
    return toSchemaFile(version, file.slice(0, -".sql".length), readFileSync(`${dir}/${file}`, "utf8"));
  });
}

/** The checksum is over the statements as the engine sees them: a reworded comment is no edit. */
export function toSchemaFile(version: number, name: string, sql: string): SchemaFile {
  const statements = splitStatements(sql);
  const checksum = createHash("sha256").update(statements.join(";\n")).digest("hex");
  return { version, name, checksum, statements };
}
