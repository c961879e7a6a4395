/**
 * SQL lives in files. A file holds one statement, or several parts, each after a line `-- name: part`. Comments are for
 * readers and are not sent to the engine. Values are parameters. Variable text of a statement has a placeholder,
 * `{name:Expression}`, `{name:Condition}` or `{name:Relation}`, which only our own lists fill.
 */
import { readFileSync } from "node:fs";

const PLACE = /\{(\w+):(?:Expression|Condition|Relation)\}/g;

export function readSql(file: URL): string {
  return withoutComments(readFileSync(file, "utf8"));
}

/** Returns a part by its name. Throws for an unknown name. */
export type SqlParts = (name: string) => string;

/** `expand` replaces the abbreviations of a file, once. `common` has the parts that the file itself has not. */
export function readSqlParts(file: URL, expand = (sql: string) => sql, common?: SqlParts): SqlParts {
  const [, ...texts] = readFileSync(file, "utf8").split(/^-- name: /m);
  const parts = new Map(
    texts.map((text) => {
      const [name = "", ...lines] = text.split("\n");
      return [name.trim(), expand(withoutComments(lines.join("\n")).trim())];
    }),
  );
  return (name) => {
    const sql = parts.get(name) ?? common?.(name);
    if (sql === undefined) throw new Error(`${file.pathname} has no part ${name}`);
    return sql;
  };
}

export type SqlTexts = Readonly<Record<string, string>>;

/** Every placeholder needs a text, and every text a placeholder. */
export function fillSql(sql: string, texts: SqlTexts): string {
  const filled = sql.replaceAll(PLACE, (_, name: string) => {
    const text = texts[name];
    if (text === undefined) throw new Error(`the statement needs a text for ${name}`);
    return text;
  });
  const places = placesOf(sql);
  const unknown = Object.keys(texts).find((name) => !places.has(name));
  if (unknown !== undefined) throw new Error(`the statement has no place for ${unknown}`);
  return filled;
}

/** The names of its placeholders. */
export function placesOf(sql: string): ReadonlySet<string> {
  return new Set([...sql.matchAll(PLACE)].map(([, name = ""]) => name));
}

export function withoutComments(sql: string): string {
  return sql.replace(/^\s*--.*\n/gm, "");
}

/** Builds `WITH a AS (...), b AS (...)` followed by the statement that reads them. */
export function withParts(ctes: readonly { readonly name: string; readonly sql: string }[], statement: string): string {
  if (ctes.length === 0) return statement;
  return `WITH ${ctes.map(({ name, sql }) => `${name} AS\n(\n${sql}\n)`).join(",\n")}\n${statement}`;
}
