/** The SQL of reports as named parts, each the body of a CTE. */
import type { Cte } from "../../engines/relations.ts";
import { fillSql, placesOf, readSqlParts, type SqlParts, type SqlTexts } from "../../lib/sql.ts";

/** The parts of a report. */
export const readParts = (file: string): SqlParts =>
  readWindowParts(new URL(`../reports/${file}.sql`, import.meta.url));

const projects = (of: string) => `${of}.project_id IN {projects:Array(String)}`;
const days = (of: string) => `${of}.day BETWEEN {first_day:Date} AND {last_day:Date}`;
/** `s` is the relation `scope` (`InScope`): a project may keep fewer days than the window has. */
const kept = (of: string) => `${of}.day >= s.first_day`;
const clean = (of: string) => `${of}.day < s.dirty_from`;
const rolledUp = (of: string) => `(${clean(of)} OR ${of}.day = s.running_day)`;
/** Of sessions: those of a running day that are rolled up as they are. */
export const isRunning = (of: string) => `${of}.day = s.running_day AND ${of}.received_to <= s.received_to`;
/** Those that rollups have as they are. */
export const isSettled = (of: string) => `(${clean(of)} OR ${isRunning(of)})`;
const dirty = (of: string) => `${of}.day >= s.dirty_from`;

/**
 * For a question of which no partition is clean. A planner that is told leaves out what reads clean ones, and the search for
 * visitors in them: a list of sources in another zone took 61 instead of 108 ms of processor.
 */
export function withoutClean(ctes: readonly Cte[]): Cte[] {
  return ctes.map((cte) => ({
    ...cte,
    sql: cte.sql.replaceAll(IS_CLEAN, "1 = 0").replaceAll(IS_DIRTY, "1 = 1"),
  }));
}

/** For a question without running days: an engine without them has no times of receipt to compare. */
export function withoutRunning(ctes: readonly Cte[]): Cte[] {
  return ctes.map((cte) => ({ ...cte, sql: cte.sql.replaceAll(OR_RUNNING, "").replaceAll(IS_RUNNING, "1 = 0") }));
}

const IS_RUNNING = /\b\w+\.day = \w+\.running_day(?: AND \w+\.received_to <= \w+\.received_to)?\b/g;
const OR_RUNNING = new RegExp(` OR ${IS_RUNNING.source}`, "g");

const IS_CLEAN = /\b\w+\.day < \w+\.dirty_from\b/g;
const IS_DIRTY = /\b\w+\.day >= \w+\.dirty_from\b/g;

/** What a relation is restricted to, as `WHERE {v:KeptWindow}` for the relation `v`. */
const WINDOWS: Readonly<Record<string, readonly ((of: string) => string)[]>> = {
  Projects: [projects],
  Window: [projects, days],
  KeptWindow: [projects, days, kept],
  KeptDays: [days, kept],
  DirtyWindow: [projects, days, kept, dirty],
  SettledWindow: [projects, days, kept, isSettled],
};

const WINDOW = new RegExp(`^( *)(WHERE|AND) \\{(\\w+):(${Object.keys(WINDOWS).join("|")})\\}`, "gm");

/** `FROM sessions AS v {v:InScope}`: only projects of the question, with what the scope says of each. */
const IN_SCOPE = /^( *)(FROM \S+ AS \w+) \{(\w+):InScope\}$/gm;

/** Rollups of clean partitions, and of what is rolled up of a running day, as `WHERE {r:CleanDays} AND r.dimension = 'total'`: they lie by project and dimension. */
const CLEAN_DAYS = /^( *)WHERE \{(\w+):CleanDays\} AND (.+)$/gm;

export const readWindowParts = (file: URL): SqlParts => readSqlParts(file, fillWindows, COMMON);

/** Each condition has a line of its own. */
function fillWindows(sql: string): string {
  return sql
    .replaceAll(IN_SCOPE, "$1$2\n$1INNER JOIN scope AS s ON s.project_id = $3.project_id")
    .replaceAll(CLEAN_DAYS, (_, indent: string, of: string, dimension: string) =>
      lines(indent, "WHERE", [projects(of), dimension, days(of), kept(of), rolledUp(of)]),
    )
    .replaceAll(WINDOW, (_, indent: string, word: string, of: string, kind: string) => {
      const conditions = (WINDOWS[kind] ?? []).map((condition) => condition(of));
      return lines(indent, word, conditions);
    });
}

function lines(indent: string, word: string, conditions: readonly string[]): string {
  return `${indent}${word} ${conditions.join(`\n${indent}${word === "WHERE" ? "    " : ""}AND `)}`;
}

const COMMON = readSqlParts(new URL("./common.sql", import.meta.url), fillWindows);

/** Of the parts of files: there are some hundreds, and every report needs a dozen. */
const places = new Map<string, ReadonlySet<string>>();

function placesOfPart(sql: string): ReadonlySet<string> {
  const known = places.get(sql) ?? placesOf(sql);
  places.set(sql, known);
  return known;
}

/** The named parts, in order. Each part receives the texts that it has places for. */
export function toCtes(parts: SqlParts, names: readonly string[], texts: SqlTexts): Cte[] {
  return names.map((name) => {
    const sql = parts(name);
    const needed = placesOfPart(sql);
    if (needed.size === 0) return { name, sql };
    const ofPart = Object.entries(texts).filter(([place]) => needed.has(place));
    return { name, sql: fillSql(sql, Object.fromEntries(ofPart)) };
  });
}

/** The rows of several relations with the same columns. */
export function unionOf(names: readonly string[], columns: string): string {
  return names.map((name) => `SELECT ${columns} FROM ${name}`).join("\n    UNION ALL\n    ");
}
