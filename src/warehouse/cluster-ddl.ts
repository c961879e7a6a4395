import { type Token, tokens } from "../engines/embedded/sql-tokens.ts";

/**
 * The same schema files on a cluster. Pure: statements in, statements out.
 *
 *   table with project_id      name_local, Replicated*, one part per shard; `name` is Distributed over the shards by
 *                              cityHash64(project_id), so that all of a project is on one shard
 *   table without project_id   small reference data: `name` itself, Replicated*, a full copy on every node
 *   materialized view          works where the rows are: reads and writes the _local tables
 *   ALTER                      on name_local, and on `name` too where it changes columns
 */
export interface ClusterOptions {
  readonly cluster: string;
  readonly database: string;
}

/** `files` are the statements of all schema files in order; a later one may refer to tables of an earlier one. */
export function toClusterDdl(files: ReadonlyArray<readonly string[]>, options: ClusterOptions): string[][] {
  const sharded = new Set<string>();
  return files.map((statements) => statements.flatMap((sql) => translate(sql, options, sharded)));
}

function translate(sql: string, options: ClusterOptions, sharded: Set<string>): string[] {
  const ddl = readDdl(sql);
  switch (ddl.verb) {
    case "create database":
    case "create view":
    case "create function":
      return [splice(sql, [insertAt(ddl.name.end, onCluster(options))])];
    case "create table":
      return createTable(sql, ddl, options, sharded);
    case "create materialized view":
      return [createMaterializedView(sql, ddl, options, sharded)];
    case "alter table":
      return alterTable(sql, ddl, options, sharded);
    case "drop table":
    case "truncate table":
      return tableAndLocal(sql, ddl, options, sharded);
    case "drop view":
      return [splice(sql, [insertAt(ddl.name.end, onCluster(options))])];
    default:
      throw new Error(`no cluster form for this statement: ${sql.slice(0, 60)}`);
  }
}

interface Ddl {
  readonly verb: string;
  readonly name: Token;
  readonly all: readonly Token[];
}

const VERB_WORDS = new Set([
  "create",
  "alter",
  "drop",
  "truncate",
  "materialized",
  "database",
  "table",
  "view",
  "function",
]);
const GUARD_WORDS = new Set(["if", "not", "exists", "or", "replace"]);

function readDdl(sql: string): Ddl {
  const all = [...tokens(Buffer.from(sql))];
  const verb: string[] = [];
  for (const token of all) {
    const word = token.text.toLowerCase();
    if (token.kind === "word" && VERB_WORDS.has(word)) verb.push(word);
    else if (token.kind !== "word" || !GUARD_WORDS.has(word)) return { verb: verb.join(" "), name: token, all };
  }
  throw new Error(`no name in this statement: ${sql.slice(0, 60)}`);
}

function createTable(sql: string, ddl: Ddl, options: ClusterOptions, sharded: Set<string>): string[] {
  const { name, all } = ddl;
  const table = name.text;
  const engine = tokenAfter(all, ["engine", "="]);
  if (engine === undefined || !/MergeTree$/.test(engine.text)) {
    throw new Error(`only MergeTree tables can be replicated: ${sql.slice(0, 60)}`);
  }
  const isSharded = all.some((token) => token.depth === 1 && token.text === "project_id");
  const local = isSharded ? `${table}_local` : table;
  const path = isSharded ? `{shard}/{database}/${local}` : `all/{database}/${local}`;
  const replica = isSharded ? "{replica}" : "{shard}-{replica}";
  const next = all[all.indexOf(engine) + 1];
  const replicated = [`'/clickhouse/tables/${path}'`, `'${replica}'`].join(", ");
  const engineEdits =
    next?.text === "("
      ? [replaceToken(engine, `Replicated${engine.text}`), insertAt(next.end, argumentsFollow(all, next, replicated))]
      : [replaceToken(engine, `Replicated${engine.text}(${replicated})`)];
  const localSql = splice(sql, [replaceToken(name, local), insertAt(name.end, onCluster(options)), ...engineEdits]);
  if (!isSharded) return [localSql];
  sharded.add(table);
  const distributed =
    `CREATE TABLE IF NOT EXISTS ${table}${onCluster(options)} AS ${options.database}.${local}\n` +
    `ENGINE = Distributed('${options.cluster}', '${options.database}', '${local}', cityHash64(project_id))`;
  return [localSql, distributed];
}

function argumentsFollow(all: readonly Token[], open: Token, replicated: string): string {
  return all[all.indexOf(open) + 1]?.text === ")" ? replicated : `${replicated}, `;
}

/** TO, FROM and JOIN name tables; the sharded ones among them become their local part. */
function createMaterializedView(sql: string, ddl: Ddl, options: ClusterOptions, sharded: Set<string>): string {
  if (tokenAfter(ddl.all, ["to"]) === undefined) {
    throw new Error(`a materialized view needs TO: its hidden table would not be replicated: ${sql.slice(0, 60)}`);
  }
  const edits = [insertAt(ddl.name.end, onCluster(options))];
  for (const [index, token] of ddl.all.entries()) {
    if (token.kind !== "word" || !["to", "from", "join"].includes(token.text.toLowerCase())) continue;
    const target = ddl.all[index + 1];
    if (target !== undefined && sharded.has(target.text)) edits.push(replaceToken(target, `${target.text}_local`));
  }
  return splice(sql, edits);
}

/** A Distributed table has columns and nothing else: indices, TTLs, settings and data belong to the local part. */
function alterTable(sql: string, ddl: Ddl, options: ClusterOptions, sharded: Set<string>): string[] {
  const { name, all } = ddl;
  const on = insertAt(name.end, onCluster(options));
  if (!sharded.has(name.text)) return [splice(sql, [on])];
  const local = splice(sql, [replaceToken(name, `${name.text}_local`), on]);
  return all.some((token) => token.depth === 0 && token.text.toLowerCase() === "column")
    ? [local, splice(sql, [on])]
    : [local];
}

function tableAndLocal(sql: string, ddl: Ddl, options: ClusterOptions, sharded: Set<string>): string[] {
  const { name } = ddl;
  const on = insertAt(name.end, onCluster(options));
  if (!sharded.has(name.text)) return [splice(sql, [on])];
  const local = splice(sql, [replaceToken(name, `${name.text}_local`), on]);
  // Rows live in the local part only; a Distributed table has none to cut off.
  return ddl.verb === "truncate table" ? [local] : [splice(sql, [on]), local];
}

function onCluster({ cluster }: ClusterOptions): string {
  return ` ON CLUSTER '${cluster}'`;
}

/** The token that follows these words at the top level. */
function tokenAfter(all: readonly Token[], words: readonly string[]): Token | undefined {
  const start = all.findIndex((token, index) =>
    words.every((word, step) => {
      const at = all[index + step];
      return token.depth === 0 && at?.kind !== "quoted" && at?.text.toLowerCase() === word;
    }),
  );
  return start < 0 ? undefined : all[start + words.length];
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function insertAt(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

function replaceToken(token: Token, text: string): Edit {
  return { start: token.start, end: token.end, text };
}

/** Token offsets are in bytes, so the cutting is done on bytes. Edits are applied from the end. */
function splice(sql: string, edits: readonly Edit[]): string {
  let bytes = Buffer.from(sql);
  for (const edit of [...edits].sort((a, b) => b.start - a.start || b.end - a.end)) {
    bytes = Buffer.concat([bytes.subarray(0, edit.start), Buffer.from(edit.text), bytes.subarray(edit.end)]);
  }
  return bytes.toString();
}
