/**
 * Reports with what `scope` says written into them. It says few things that rarely change: from which day on partitions are
 * dirty, and what of today is rolled up. Each part of a report joins it, and DuckDB cannot skip rows by a day that it has
 * to look up first. Where the rows are known, the joins go and their columns become dates: over all reports 15.6 ms of
 * processor became 11.7 (docs/decisions/0037-values-in-reads.md).
 *
 * The rows are known while no write changes the tables that `scope` reads: that is noticed before it commits. A statement
 * beside which one did is run again as it was given, and reads `scope` itself: so every answer is that of one moment.
 */
import type { DuckDBConnection, DuckDBResultReader } from "@duckdb/node-api";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { ANY_DAY } from "../relations.ts";
import type { SelectParams } from "../select.ts";
import { readRows } from "./rows.ts";
import { SCOPE } from "./scope.ts";
import type { GoOn } from "./select-within.ts";
import { runRead } from "./statement.ts";

export interface ScopeWrites {
  /** Changes with the tables of the scope. Undefined: a write may be changing them. */
  findVersion(): number | undefined;
  /** A write has been committed, or rolled back. */
  ended(): void;
}

const TABLES = /\b(?:rollup_state|running_days)\b/;
/** One statement that changes no table of others. */
const READS = /^\s*(?:SELECT|CREATE OR REPLACE TEMP TABLE)\b[^;]*;?\s*$/i;

/** Notices every statement of the writer: one that writes these tables from another place counts, too. */
export function watchScope(writer: DuckDBConnection): ScopeWrites {
  let version = 0;
  let isChanging = false;
  const run = writer.run.bind(writer);
  writer.run = (sql, ...rest) => {
    isChanging ||= TABLES.test(sql) && !READS.test(sql);
    return run(sql, ...rest);
  };
  return {
    findVersion: () => (isChanging ? undefined : version),
    ended() {
      if (isChanging) version += 1;
      isChanging = false;
    },
  };
}

/** The days and times of one project, as SQL. */
type ScopeRow = Readonly<Record<string, string>>;

const COLUMNS = {
  first_day: "DATE",
  dirty_from: "DATE",
  running_day: "DATE",
  received_to: "TIMESTAMP_MS",
  hours_to: "TIMESTAMP_MS",
} as const;
const NAMES = Object.keys(COLUMNS).join("|");

const ROWS = `SELECT ${["project_id", ...Object.keys(COLUMNS)].map((name) => `CAST(${name} AS VARCHAR) AS ${name}`).join(", ")}
FROM (
${SCOPE}
)`;

/** The projects of somebody, and the first days of what they ask. */
const REMEMBERED = 1_000;
/** Of a question. The rows of 50 projects take 25 KB, and as VALUES each is planned by itself. */
const MOST_PROJECTS = 50;

/** Statements with their rows: some dashboards of each kind of report. Writing one takes 0.3 to 0.6 ms. */
const WRITTEN = 128;

interface KnownRows {
  readonly version: number;
  /** Of these rows alone. */
  readonly id: number;
  readonly rows: readonly ScopeRow[];
}

export function createKnownScope({ findVersion }: Pick<ScopeWrites, "findVersion">) {
  const known = new BoundedCache<KnownRows>(REMEMBERED);
  const written = new BoundedCache<string>(WRITTEN);
  let ids = 0;

  async function findRows(connection: DuckDBConnection, params: SelectParams, version: number): Promise<KnownRows> {
    const key = JSON.stringify([params.scope_projects, params.scope_first_days, params.scope_without_bots]);
    const before = known.find(key);
    if (before?.version === version) return before;
    const rows = (readRows(await runRead(connection, ROWS, params)) as Record<string, string>[]).map(toSql);
    ids += 1;
    const found = { version, id: ids, rows };
    if (findVersion() === version) known.put(key, found);
    return found;
  }

  function write(sql: string, { id, rows }: KnownRows, lastDay: string): string {
    const key = `${id}\n${lastDay}\n${sql}`;
    const before = written.find(key);
    if (before !== undefined) return before;
    const text = withScope(sql, rows, lastDay);
    written.put(key, text);
    return text;
  }

  return {
    /** `goOn` throws when the read is to end. */
    async read(
      connection: DuckDBConnection,
      sql: string,
      params: SelectParams,
      goOn: GoOn,
    ): Promise<DuckDBResultReader> {
      const version = findVersion();
      if (version === undefined || !sql.startsWith(HEAD) || !isFew(params.scope_projects))
        return runRead(connection, sql, params);
      const rows = await findRows(connection, params, version);
      goOn();
      const lastDay = typeof params.scope_last_day === "string" ? params.scope_last_day : ANY_DAY;
      const found = await runRead(connection, write(sql, rows, lastDay), params);
      if (findVersion() === version) return found;
      goOn();
      return runRead(connection, sql, params);
    },
  };
}

function isFew(projects: unknown): boolean {
  return Array.isArray(projects) && projects.length > 0 && projects.length <= MOST_PROJECTS;
}

function toSql(row: Record<string, string>): ScopeRow {
  const columns = Object.entries(COLUMNS).map(([name, type]) => [name, `${type} '${row[name]}'`]);
  return { project_id: `'${row.project_id?.replaceAll("'", "''")}'`, ...Object.fromEntries(columns) };
}

const HEAD = `WITH scope AS\n(\n${SCOPE}\n),\n`;
/** Names mean something in their own relation: elsewhere `s` may be a session, which has a `received_to`, too. */
const BETWEEN_RELATIONS = "\n),\n";
/** A relation is joined with its project's row. The last group is the rest of its SELECT. */
const JOIN =
  /\sINNER JOIN (?:scope|\(SELECT project_id AS scope_project, \w+ FROM scope\)) AS (\w+) ON \1\.\w+ = (\w+)\.project_id\b(?=([\s\S]*?)(?:\bUNION ALL\b|\n\)\nSELECT\b|$))/g;
const COLUMN = new RegExp(`\\b(\\w+)\\.(${NAMES})\\b`, "g");
const NAMED = /\bAS (\w+)\b/g;

/**
 * Columns that are the same for all projects become values. A join goes of which nothing else is read, unless only the
 * join leaves out other projects. The others join the rows. `lastDay` is that of the statement.
 */
export function withScope(sql: string, rows: readonly ScopeRow[], lastDay: string): string {
  const relations = sql.slice(HEAD.length).split(BETWEEN_RELATIONS);
  const text = relations
    .map((relation) => withRows(relation, rows))
    // After the last one comes the statement itself.
    .map((relation, at) => (at < relations.length - 1 ? withoutEmpty(relation, lastDay) : relation))
    .join(BETWEEN_RELATIONS);
  return /\bscope\b/.test(text) ? `WITH ${valuesOf(rows)},\n${text}` : `WITH ${text}`;
}

function withRows(relation: string, rows: readonly ScopeRow[]): string {
  const [first = {}] = rows;
  const isSame = (name: string) => rows.every((row) => row[name] === first[name]);
  const names = scopesOf(relation);
  const differing = new Set<string>();
  for (const [, of = "", column = ""] of relation.matchAll(COLUMN)) if (!isSame(column)) differing.add(of);
  return relation
    .replace(JOIN, (join, scope: string, of: string, rest: string) =>
      names.has(scope) && !differing.has(scope) && rest.includes(`${of}.project_id IN {`) ? "" : join,
    )
    .replace(COLUMN, (place, of: string, column: string) =>
      names.has(of) && isSame(column) ? (first[column] ?? place) : place,
    );
}

/** As a value: nothing of a running day is rolled up. */
const NO_DAY = "DATE '9999-12-31'";
const OR_NO_DAY = new RegExp(` OR \\w+\\.day = ${NO_DAY}(?: AND \\w+\\.received_to <= TIMESTAMP_MS '[^']*')?`, "g");
const OR_THAT_DAY = /\((\w+)\.day < (DATE '[^']*') OR \1\.day = \2\)/g;
const BETWEEN_READS = "\nUNION ALL\n";
const OF_LATER_DAYS = / AND \w+\.day > DATE '([^']*)'/;

/**
 * Without reads of an open relation that have no rows on any day of the statement, and with one comparison of days where
 * two say the same. DuckDB finds that out, too, after it has bound all of their columns: 1 to 4 ms of processor.
 */
function withoutEmpty(relation: string, lastDay: string): string {
  const text = relation.replaceAll(OR_NO_DAY, "").replaceAll(OR_THAT_DAY, "$1.day <= $2");
  if (!text.startsWith("open_")) return text;
  const [first, ...others] = text.split(BETWEEN_READS);
  const read = others.filter((each) => {
    const [, runningDay = ""] = OF_LATER_DAYS.exec(each) ?? [];
    return !each.includes(` AND v.day = ${NO_DAY}`) && !(runningDay >= lastDay);
  });
  return [first, ...read].join(BETWEEN_READS);
}

/** The names under which a relation joins the scope, without those that something else in it has as well. */
function scopesOf(relation: string): ReadonlySet<string> {
  const joined = Map.groupBy(relation.matchAll(JOIN), ([, name = ""]) => name);
  const named = Map.groupBy(relation.matchAll(NAMED), ([, name = ""]) => name);
  return new Set([...joined].filter(([name, of]) => named.get(name)?.length === of.length).map(([name]) => name));
}

function valuesOf(rows: readonly ScopeRow[]): string {
  const columns = ["project_id", ...Object.keys(COLUMNS)];
  const lines = rows.map((row) => `(${columns.map((name) => row[name]).join(", ")})`);
  return `scope(${columns.join(", ")}) AS\n(\nVALUES ${lines.join(", ")}\n)`;
}
