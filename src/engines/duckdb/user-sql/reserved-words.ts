/** Functions of ClickHouse whose names DuckDB reserves: in quotes they are plain names. */

/** `= ANY (SELECT ...)`, `ARRAY(SELECT ...)`, `position(x IN y)` and `extract(x FROM y)` stay syntax. */
export function quoteReserved(sql: string): string {
  const masked = sql.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, (quoted) => "x".repeat(quoted.length));
  let quoted = "";
  let from = 0;
  for (const { 0: whole, 1: word = "", index } of masked.matchAll(/\b(any|array|position|extract)\s*\(/gi)) {
    const open = index + whole.length;
    const isFunction = /^[pe]/i.test(word) ? hasComma(masked, open) : !isComparison(masked, index, open);
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

/** Whether the arguments after an open bracket have a comma of their own. */
function hasComma(sql: string, open: number): boolean {
  let depth = 0;
  for (let at = open; at < sql.length && depth >= 0; at += 1) {
    const char = sql[at];
    if (char === "(" || char === "[") depth += 1;
    else if (char === ")" || char === "]") depth -= 1;
    else if (char === "," && depth === 0) return true;
  }
  return false;
}
