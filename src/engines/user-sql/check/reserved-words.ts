/** Functions of ClickHouse whose names DuckDB reserves: in quotes they are plain names. */
import { maskQuoted } from "./mask-quoted.ts";

/** `= ANY (SELECT ...)`, `ARRAY(SELECT ...)`, `position(x IN y)` and `extract(x FROM y)` stay syntax. */
export function quoteReserved(sql: string): string {
  const masked = maskQuoted(sql);
  const withComma = findBracketsWithComma(masked);
  let quoted = "";
  let from = 0;
  for (const { 0: whole, 1: word = "", index } of masked.matchAll(/\b(any|array|position|extract)\s*\(/gi)) {
    const open = index + whole.length;
    const isFunction = /^[pe]/i.test(word) ? withComma.has(open - 1) : !isComparison(masked, index, open);
    if (!isFunction) continue;
    quoted += `${sql.slice(from, index)}"${word}"`;
    from = index + word.length;
  }
  return quoted + sql.slice(from);
}

function isComparison(sql: string, start: number, open: number): boolean {
  return (
    /[=<>]\s*$/.test(sql.slice(Math.max(0, start - 20), start)) || /^\s*select\b/i.test(sql.slice(open, open + 40))
  );
}

/**
 * The positions of open brackets whose own arguments have a comma. In one pass: a search from each bracket took 1.6 s
 * for `position(` 3,600 times.
 */
function findBracketsWithComma(sql: string): ReadonlySet<number> {
  const found = new Set<number>();
  const open: number[] = [];
  for (const { 0: char, index } of sql.matchAll(/[()[\],]/g)) {
    if (char === "(" || char === "[") open.push(index);
    else if (char === ",") found.add(open.at(-1) ?? -1);
    else open.pop();
  }
  return found;
}
