/** Files of SQL that hold several named parts, each behind a line `-- name: part`. Comments are for readers and do not go to the engine. */
import { readFileSync } from "node:fs";

export function readSqlParts(file: URL): Readonly<Record<string, string>> {
  const [, ...parts] = readFileSync(file, "utf8").split(/^-- name: /m);
  return Object.fromEntries(
    parts.map((part) => {
      const [name = "", ...lines] = part.split("\n");
      return [name.trim(), withoutComments(lines.join("\n")).trim()];
    }),
  );
}

export function withoutComments(sql: string): string {
  return sql.replace(/^\s*--.*\n/gm, "");
}

/** `WITH a AS (...), b AS (...)` and the statement that reads them. */
export function withParts(ctes: readonly { readonly name: string; readonly sql: string }[], statement: string): string {
  if (ctes.length === 0) return statement;
  return `WITH ${ctes.map(({ name, sql }) => `${name} AS\n(\n${sql}\n)`).join(",\n")}\n${statement}`;
}
