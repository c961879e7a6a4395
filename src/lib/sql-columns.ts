/**
 * Leaves columns out of our own statements that nothing reads. By text, because no parser of SQL is loaded in the
 * service: a column counts as read where its name is mentioned at all, so that too many stay and never too few.
 */
import { withParts } from "./sql.ts";

interface Part {
  readonly name: string;
  readonly sql: string;
}

/** `SELECT a, b AS c FROM ...` with only the columns of these names. At least one stays. */
export function keepColumns(sql: string, wanted: ReadonlySet<string>): string {
  const { items, rest } = splitSelect(sql);
  const kept = items.filter((item) => item.endsWith("*") || wanted.has(nameOfItem(item)));
  return `SELECT\n    ${(kept.length > 0 ? kept : items.slice(0, 1)).join(",\n    ")}\n${rest}`;
}

/** The words of a statement, among them the names of all columns that it reads. */
export function wordsOf(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.match(/\w+/g) ?? []));
}

/** As `withParts`, with only those columns of each CTE that a later one or the statement mentions. */
export function withReadColumns(ctes: readonly Part[], statement: string): string {
  const kept: Part[] = [];
  for (const { name, sql } of ctes.toReversed()) {
    const wanted = wordsOf(statement, ...kept.map((part) => part.sql));
    kept.unshift({ name, sql: keepColumns(sql, wanted) });
  }
  return withParts(kept, statement);
}

/** The expressions between SELECT and FROM, and what follows them. Commas and FROM count outside of brackets only. */
function splitSelect(sql: string): { items: string[]; rest: string } {
  const [, list = ""] = /^\s*SELECT\s+([\s\S]*)$/.exec(sql) ?? [];
  const items: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: mark, index } of list.matchAll(/'[^']*'|[()[\]]|,|\bFROM\b/g)) {
    if (mark === "(" || mark === "[") depth += 1;
    else if (mark === ")" || mark === "]") depth -= 1;
    else if (depth === 0 && mark === ",") {
      items.push(list.slice(from, index).trim());
      from = index + 1;
    } else if (depth === 0 && mark === "FROM") {
      items.push(list.slice(from, index).trim());
      return { items, rest: list.slice(index) };
    }
  }
  throw new Error("the statement has no SELECT with a FROM");
}

function nameOfItem(item: string): string {
  return item.split(/\W/).at(-1) ?? "";
}
