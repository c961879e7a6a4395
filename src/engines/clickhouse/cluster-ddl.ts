/**
 * The schema files, translated for a cluster. Pure: statements in, statements out.
 *
 *   table with project_id      name_local, Replicated*, one part per shard; `name` is Distributed over the shards by
 *                              cityHash64(project_id), so that a project lies on one shard
 *   table without project_id   small reference data: `name` itself, Replicated*, a full copy on every node
 *   view                       on every node, over the Distributed tables
 *   ALTER, DROP                on name_local; also on `name` for columns and for DROP
 *
 * Regular expressions recognise the forms that our files use. Any other statement is refused.
 */
export interface ClusterOptions {
  readonly cluster: string;
  readonly database: string;
}

/** `files` are the statements of all schema files, in order. A later file may refer to tables of an earlier one. */
export function toClusterDdl(files: ReadonlyArray<readonly string[]>, options: ClusterOptions): string[][] {
  const sharded = new Set<string>();
  return files.map((statements) => statements.flatMap((sql) => translate(sql, options, sharded)));
}

/** The table that holds the rows: a Distributed table accepts no ALTER, DELETE or TRUNCATE. */
export function localTable(table: string, cluster: string | undefined): string {
  return cluster === undefined ? table : `${table}_local ON CLUSTER '${cluster}'`;
}

const VERBS = [
  "CREATE TABLE IF NOT EXISTS",
  "CREATE OR REPLACE VIEW",
  "ALTER TABLE",
  "DROP TABLE IF EXISTS",
  "DROP VIEW IF EXISTS",
  "TRUNCATE TABLE IF EXISTS",
];
const STATEMENT = new RegExp(`^(${VERBS.join("|")}) (\\w+)`);
const ENGINE = /^ENGINE = (\w*MergeTree)(?:\((.+)\))?$/m;

function translate(sql: string, options: ClusterOptions, sharded: Set<string>): string[] {
  const [head = "", verb = "", name = ""] = STATEMENT.exec(sql) ?? [];
  const rest = sql.slice(head.length);
  const of = (table: string, change = rest) => `${verb} ${table} ON CLUSTER '${options.cluster}'${change}`;
  if (verb === "CREATE TABLE IF NOT EXISTS") return createTable(sql, name, rest, of, options, sharded);
  if (verb.endsWith("VIEW") || verb.endsWith("VIEW IF EXISTS")) return [of(name)];
  if (verb === "") throw new Error(`no cluster form for this statement: ${sql.slice(0, 60)}`);
  if (!sharded.has(name)) return [of(name)];
  // Rows, indices, TTLs and settings belong to name_local; columns exist in both.
  const isInBoth = verb.startsWith("DROP") || /^\s+\w+ COLUMN\b/.test(rest);
  return isInBoth ? [of(`${name}_local`), of(name)] : [of(`${name}_local`)];
}

function createTable(
  sql: string,
  name: string,
  rest: string,
  of: (table: string, change: string) => string,
  { cluster, database }: ClusterOptions,
  sharded: Set<string>,
): string[] {
  if (!ENGINE.test(rest)) throw new Error(`only MergeTree tables can be replicated: ${sql.slice(0, 60)}`);
  const isSharded = /^ {4}project_id /m.test(rest);
  const local = isSharded ? `${name}_local` : name;
  const replicaPath = isSharded
    ? `'/clickhouse/tables/{shard}/{database}/${local}', '{replica}'`
    : `'/clickhouse/tables/all/{database}/${local}', '{shard}-{replica}'`;
  const replicated = rest.replace(ENGINE, (_, engine: string, engineArgs: string | undefined) => {
    const args = engineArgs === undefined ? [replicaPath] : [replicaPath, engineArgs];
    return `ENGINE = Replicated${engine}(${args.join(", ")})`;
  });
  const created = of(local, replicated);
  if (!isSharded) return [created];
  sharded.add(name);
  const distributed = ` AS ${database}.${local}
ENGINE = Distributed('${cluster}', '${database}', '${local}', cityHash64(project_id))`;
  return [created, of(name, distributed)];
}
