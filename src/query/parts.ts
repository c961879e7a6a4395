/** The SQL of reports as named parts, each the body of a CTE. */
import type { Cte } from "../engines/port.ts";
import { readSqlParts } from "../lib/sql-parts.ts";

export type Parts = Readonly<Record<string, string>>;

export const readParts = (file: string): Parts => readSqlParts(new URL(`./reports/${file}.sql`, import.meta.url));

/** What becomes text of a statement: expressions, conditions and relations of our own lists. Values are parameters and never come here. */
export type Texts = Readonly<Record<string, string>>;

const TEXT = /\{(\w+):(?:Expression|Condition|Relation)\}/g;

/** The parts of these names, in this order. */
export function toCtes(parts: Parts, names: readonly string[], texts: Texts): Cte[] {
  return names.map((name) => {
    const sql = parts[name];
    if (sql === undefined) throw new Error(`the report has no part ${name}`);
    return { name, sql: fill(sql, texts) };
  });
}

function fill(sql: string, texts: Texts): string {
  return sql.replaceAll(TEXT, (_, name: string) => {
    const text = texts[name];
    if (text === undefined) throw new Error(`the part needs a text for ${name}`);
    return text;
  });
}
