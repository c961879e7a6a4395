/** The SQL of reports as named parts, each the body of a CTE. */
import type { Cte } from "../engines/port.ts";
import { fillSql, placesOf, readSqlParts, type SqlParts, type SqlTexts } from "../lib/sql.ts";

export const readParts = (file: string): SqlParts => readSqlParts(new URL(`./reports/${file}.sql`, import.meta.url));

/** The named parts, in order. Each part receives the texts that it has places for. */
export function toCtes(parts: SqlParts, names: readonly string[], texts: SqlTexts): Cte[] {
  return names.map((name) => {
    const places = placesOf(parts(name));
    const ofPart = Object.entries(texts).filter(([place]) => places.has(place));
    return { name, sql: fillSql(parts(name), Object.fromEntries(ofPart)) };
  });
}

/** The rows of several relations with the same columns. */
export function unionOf(names: readonly string[], columns: string): string {
  return names.map((name) => `SELECT ${columns} FROM ${name}`).join("\n    UNION ALL\n    ");
}
