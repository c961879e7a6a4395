/**
 * Reads the text of one statement before a parser does: removes what clients append, and refuses comments and further
 * statements. It is not what isolation depends on (the parser's tree is), except that both engines must see the same
 * strings and names: a text in which they could differ is refused.
 */

import { STATEMENT_LIMITS } from "./limits.ts";
import { StatementRefused } from "./statement-refused.ts";

/** Without a trailing `;` or FORMAT; names in backquotes have double quotes. */
export function readStatement(text: string): string {
  if (text.length > STATEMENT_LIMITS.chars)
    throw new StatementRefused(`The query has more than ${STATEMENT_LIMITS.chars} characters`);
  if (!text.isWellFormed() || hasControls(text))
    throw new StatementRefused("The query has characters that are not allowed");
  const parts = split(text);
  const sql = parts.join("").trim();
  if (sql === "") throw new StatementRefused("The query is empty");
  if (!/^(?:select|with)\b/i.test(sql)) throw new StatementRefused("Only a single SELECT or WITH statement is allowed");
  return sql;
}

function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if ((code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) || code === 0x7f) return true;
  }
  return false;
}

/** Strings, names and the text between them, up to the end of the statement. */
function split(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  const plain = (end: number) => {
    const part = text.slice(start, end);
    refuseInPlain(part);
    return part;
  };
  for (let at = 0; at < text.length; ) {
    const quote = text[at];
    if (quote === "'" || quote === '"' || quote === "`") {
      if (quote === "'" && /\w/.test(text[at - 1] ?? ""))
        throw new StatementRefused("A prefix before a string is not supported");
      parts.push(plain(at));
      const end = endOfQuoted(text, at, quote);
      parts.push(quote === "`" ? toDoubleQuotes(text.slice(at + 1, end - 1)) : text.slice(at, end));
      at = end;
      start = end;
    } else at += 1;
  }
  parts.push(plain(text.length));
  return withoutTail(parts);
}

/** The position after the closing quote, which is doubled inside. */
function endOfQuoted(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] !== quote) continue;
    if (text[at + 1] === quote) at += 1;
    else {
      // ClickHouse reads \' as a quote in the string, DuckDB as its end.
      if (/(?<!\\)(?:\\\\)*\\$/.test(text.slice(start + 1, at)))
        throw new StatementRefused(`A backslash before a quote is not supported: write ${quote}${quote}`);
      return at + 1;
    }
  }
  throw new StatementRefused("A quote is not closed");
}

function toDoubleQuotes(name: string): string {
  return `"${name.replaceAll("``", "`").replaceAll('"', '""')}"`;
}

function refuseInPlain(part: string): void {
  if (/--|\/\*|#/.test(part)) throw new StatementRefused("Comments are not allowed");
  if (/[$?]/.test(part)) throw new StatementRefused("Parameters are not supported");
  if (/[{}]/.test(part)) throw new StatementRefused("Braces are not supported");
}

/** Clients append `;` and FORMAT. The parts at even positions are not quoted. */
function withoutTail(parts: string[]): string[] {
  const last = parts.length - 1;
  const tail = withoutEnd(parts[last] ?? "").replace(/(^|[\s)])format\s+[a-z]\w*$/i, "$1");
  const rest = [...parts.slice(0, last), withoutEnd(tail)];
  if (rest.some((part, at) => at % 2 === 0 && part.includes(";")))
    throw new StatementRefused("Only one statement is allowed");
  return rest;
}

/** Without the white space and semicolons at its end. A pattern would take quadratic time for this. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s;]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
