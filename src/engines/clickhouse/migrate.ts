/**
 * Applies schema/NNNN_name.sql in order, each once. ClickHouse has no lock and no transactional DDL, so every statement
 * must be repeatable (IF NOT EXISTS, OR REPLACE ...): two nodes that start together both run it, and after a crash the
 * whole file runs again. A released file is never edited.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { withoutComments } from "../../lib/sql.ts";
import { EngineRefused } from "../failures.ts";
import { toClusterDdl } from "./cluster-ddl.ts";
import type { Clickhouse } from "./database.ts";

interface SchemaFile {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly statements: readonly string[];
}

interface Applied {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

type Target = Pick<Clickhouse, "database" | "cluster">;

const FILES: readonly SchemaFile[] = readSchema(new URL("./schema/", import.meta.url));
export const NEWEST_SCHEMA = FILES.length;

/** ClickHouse's code for a missing database. */
const UNKNOWN_DATABASE = 81;

/**
 * Reads the applied versions first: ON CLUSTER waits for every node, and an unavailable node must not prevent a start
 * that has nothing to migrate.
 */
export async function migrate(clickhouse: Clickhouse, { upTo = NEWEST_SCHEMA } = {}): Promise<void> {
  let applied = await findApplied(clickhouse);
  if (applied === undefined) {
    await clickhouse.command(createDatabaseSql(clickhouse), { useDatabase: false });
    applied = [];
  }
  const done = new Set(applied.map(({ version }) => version));
  const ddl = toDdl(clickhouse);
  for (const [index, { version, name, checksum }] of FILES.entries()) {
    if (done.has(version) || version > upTo) continue;
    for (const statement of ddl[index] ?? []) await clickhouse.command(statement);
    const body = Buffer.from(JSON.stringify({ version, name, checksum }));
    await clickhouse.insert({ table: "schema_migrations", body, format: "JSONEachRow" });
  }
}

export async function findSchemaVersion(clickhouse: Clickhouse): Promise<number> {
  return Math.max(0, ...((await findApplied(clickhouse)) ?? []).map(({ version }) => version));
}

/** The statements of the derived tables; a rebuild recreates dropped ones with them. */
export function derivedSchema(target: Target): readonly string[] {
  const ddl = toDdl(target);
  return FILES.flatMap(({ name }, index) => (name.endsWith("_reports") ? (ddl[index] ?? []) : []));
}

/** All statements, in the form that is executed. */
export function schemaStatements(target: Target): readonly string[] {
  return [createDatabaseSql(target), ...toDdl(target).flat()];
}

function createDatabaseSql({ database, cluster }: Target): string {
  const on = cluster === undefined ? "" : ` ON CLUSTER '${cluster}'`;
  return `CREATE DATABASE IF NOT EXISTS \`${database}\`${on}`;
}

function toDdl({ cluster, database }: Target): ReadonlyArray<readonly string[]> {
  const statements = FILES.map((file) => file.statements);
  return cluster === undefined ? statements : toClusterDdl(statements, { cluster, database });
}

/** Undefined when the database does not exist. */
async function findApplied(clickhouse: Clickhouse): Promise<readonly Applied[] | undefined> {
  try {
    const applied = await readApplied(clickhouse);
    refuseUnknown(applied);
    return applied;
  } catch (cause) {
    if (cause instanceof EngineRefused && cause.code === UNKNOWN_DATABASE) return undefined;
    throw cause;
  }
}

async function readApplied(clickhouse: Clickhouse): Promise<readonly Applied[]> {
  const { database, cluster } = clickhouse;
  const { rows } = await clickhouse.select<{ name: string; engine: string }>(
    `SELECT name, engine FROM system.tables
WHERE database = {database:String} AND name IN ('schema_migrations', 'events_rows', 'closed_days')`,
    { params: { database } },
  );
  const engines = new Map(rows.map(({ name, engine }) => [name, engine]));
  if (engines.has("closed_days"))
    throw new EngineRefused("its tables are those of a version before 0.1.0: start with an empty database");
  const layout = engines.get("events_rows");
  if (layout !== undefined && (layout === "Distributed") !== (cluster !== undefined)) {
    throw new EngineRefused(
      cluster === undefined
        ? "its tables were made for a cluster: set SEXTANT_CLICKHOUSE_CLUSTER as on the other nodes"
        : "its tables were made without SEXTANT_CLICKHOUSE_CLUSTER: leave it unset, or start with an empty database",
    );
  }
  if (!engines.has("schema_migrations")) return [];
  return (await clickhouse.select<Applied>("SELECT version, name, checksum FROM schema_migrations FINAL")).rows;
}

function refuseUnknown(applied: readonly Applied[]): void {
  for (const { version, name, checksum } of applied) {
    const file = FILES[version - 1];
    if (file === undefined)
      throw new EngineRefused(
        `the warehouse has schema ${name}, which this version does not know; start a newer version`,
      );
    if (file.checksum !== checksum)
      throw new EngineRefused(`the released schema file ${file.name} was edited after it had been applied`);
  }
}

function readSchema(dir: URL): SchemaFile[] {
  const names = readdirSync(dir).filter((name) => name.endsWith(".sql"));
  return names.sort().map((file, index) => {
    const version = Number(/^(\d{4})_/.exec(file)?.[1] ?? Number.NaN);
    if (version !== index + 1) throw new Error(`schema files must be numbered without gaps: ${file}`);
    const statements = splitStatements(readFileSync(new URL(file, dir), "utf8"));
    const checksum = createHash("sha256").update(statements.join(";\n")).digest("hex");
    return { version, name: file.slice(0, -".sql".length), checksum, statements };
  });
}

/**
 * In our files a comment has its own line, and a semicolon ends a statement. Comments are neither executed nor part of
 * the checksum.
 */
export function splitStatements(sql: string): string[] {
  const statements = withoutComments(sql).split(/;\s*(?:\n|$)/);
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== "");
}
