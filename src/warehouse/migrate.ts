import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type AnalyticsEngine, EngineRefused } from "../engines/analytics.ts";
import { splitStatements } from "../engines/embedded/statement.ts";
import { toClusterDdl } from "./cluster-ddl.ts";
import { FIND_DAYS } from "./day-book.ts";

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

/** A warehouse that does not fit the settings or this version; the message is one line for the person who starts something. */
class WarehouseMismatch extends Error {
  override readonly name = "WarehouseMismatch";
}

type Where = Pick<MigrateOptions, "database" | "cluster">;
type Engine = Pick<AnalyticsEngine, "command" | "selectJson" | "insert">;
type Reader = Pick<Engine, "selectJson">;

interface Applied {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

/** The newest schema this version knows. */
export const NEWEST_WAREHOUSE = readdirSync(new URL("./schema/", import.meta.url)).length;

const SCHEMA_DIR = fileURLToPath(new URL("./schema/", import.meta.url));

/** ClickHouse's code for a database that is not there. */
const UNKNOWN_DATABASE = 81;

/**
 * What a file's tables are filled with from what an older version has stored. It runs after the file and before that is noted, so it must
 * be a statement that can run twice, too. Reports read the days that `event_days` names and no others.
 */
const FILL_AFTER: Readonly<Record<string, string>> = { "0003_reports": FIND_DAYS };

/** Returns the names of the files that were applied now. */
export async function migrateWarehouse(engine: Engine, options: MigrateOptions): Promise<string[]> {
  const files = options.files ?? readSchema(SCHEMA_DIR);
  const ddl = toDdl(files, options);
  const applied = await openDatabase(engine, options);
  refuseStrangers(files, applied);
  const done: string[] = [];
  for (const [index, file] of files.entries()) {
    if (applied.has(file.version) || file.version > (options.upTo ?? file.version)) continue;
    for (const statement of ddl[index] ?? []) await engine.command(statement);
    const fill = FILL_AFTER[file.name];
    if (fill !== undefined) await engine.command(fill, { settings: { max_threads: 1 } });
    const row = { version: file.version, name: file.name, checksum: file.checksum };
    await engine.insert({ table: "schema_migrations", body: Buffer.from(JSON.stringify(row)) });
    done.push(file.name);
  }
  return done;
}

/** The schema of a warehouse that may be nobody's yet (0), without changing anything. Throws what a start would throw. */
export async function inspectWarehouse(engine: Reader, where: Where): Promise<number> {
  const applied = (await findAppliedIfAny(engine, where)) ?? new Map<number, Applied>();
  refuseStrangers(readSchema(SCHEMA_DIR), applied);
  return Math.max(0, ...applied.keys());
}

/** For a command, which leaves the upgrade to the service. */
export async function refuseOlderWarehouse(engine: Reader, where: Where): Promise<void> {
  const version = await inspectWarehouse(engine, where);
  if (version < NEWEST_WAREHOUSE)
    throw new WarehouseMismatch(
      `the warehouse has schema ${version}, this Sextant needs ${NEWEST_WAREHOUSE}: start the service, it upgrades by itself`,
    );
}

/**
 * What has been applied; the database is made where it is missing. Looking comes first: ON CLUSTER waits for every node, and one that
 * is down must not keep us from starting when there is nothing to change.
 */
async function openDatabase(engine: Engine, options: MigrateOptions): Promise<Map<number, Applied>> {
  const found = await findAppliedIfAny(engine, options);
  if (found !== undefined) return found;
  await engine.command(createDatabaseSql(options), { useDatabase: false });
  return findApplied(engine, options);
}

/** Undefined when there is no such database. */
async function findAppliedIfAny(engine: Reader, where: Where): Promise<Map<number, Applied> | undefined> {
  try {
    return await findApplied(engine, where);
  } catch (cause) {
    if (cause instanceof EngineRefused && cause.code === UNKNOWN_DATABASE) return undefined;
    throw cause;
  }
}

export function createDatabaseSql({ database, cluster }: MigrateOptions): string {
  const on = cluster === undefined ? "" : ` ON CLUSTER '${cluster}'`;
  return `CREATE DATABASE IF NOT EXISTS \`${database}\`${on}`;
}

async function findApplied(engine: Reader, { database, cluster }: Where): Promise<Map<number, Applied>> {
  const known = await engine.selectJson<{ name: string; engine: string }>(
    "SELECT name, engine FROM system.tables WHERE database = {database:String} AND name IN ('schema_migrations', 'events')",
    { params: { database } },
  );
  const layout = known.data.find(({ name }) => name === "events")?.engine;
  if (layout !== undefined && (layout === "Distributed") !== (cluster !== undefined)) {
    throw new WarehouseMismatch(
      cluster === undefined
        ? "its tables were made for a cluster: set SEXTANT_CLICKHOUSE_CLUSTER as on the other nodes"
        : "its tables were made without SEXTANT_CLICKHOUSE_CLUSTER: leave it unset, or start with an empty database",
    );
  }
  if (!known.data.some(({ name }) => name === "schema_migrations")) return new Map();
  return readApplied(engine);
}

async function readApplied(engine: Reader): Promise<Map<number, Applied>> {
  const { data } = await engine.selectJson<Applied>("SELECT version, name, checksum FROM schema_migrations FINAL");
  return new Map(data.map((row) => [row.version, row]));
}

function refuseStrangers(files: readonly SchemaFile[], applied: ReadonlyMap<number, Applied>): void {
  for (const row of applied.values()) {
    const file = files.find(({ version }) => version === row.version);
    if (file === undefined) {
      throw new WarehouseMismatch(
        `the warehouse has schema ${row.name}, which this version does not know; start a newer version`,
      );
    }
    if (file.checksum !== row.checksum) {
      throw new WarehouseMismatch(`the released schema file ${file.name} was edited after it had been applied`);
    }
  }
}

function toDdl(files: readonly SchemaFile[], { cluster, database }: MigrateOptions): ReadonlyArray<readonly string[]> {
  const statements = files.map((file) => file.statements);
  return cluster === undefined ? statements : toClusterDdl(statements, { cluster, database });
}

/** All statements of all files, as they are run. */
export function schemaStatements(options: MigrateOptions): readonly string[] {
  return toDdl(options.files ?? readSchema(SCHEMA_DIR), options).flat();
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
