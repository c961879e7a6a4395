/**
 * ClickHouse's syntax that DuckDB's parser does not know, as DuckDB's. By words, in time linear in the text: the result
 * is parsed and checked like any other statement.
 */
import { is, type Token, textOf, tokenize } from "../../../lib/sql-tokens.ts";
import { readStatement } from "../read-statement.ts";
import { toDuckdbClauses } from "./clickhouse-clauses.ts";
import { refuseManyGroupingSets } from "./grouping-sets.ts";
import { quoteReserved } from "./reserved-words.ts";

/** The text that DuckDB's parser reads of a statement, for either engine. */
export function toParserText(sql: string): string {
  const text = quoteReserved(toDuckdbSyntax(readStatement(sql)));
  refuseManyGroupingSets(text);
  return text;
}

function toDuckdbSyntax(sql: string): string {
  const tokens = tokenize(sql);
  if (tokens === undefined) return sql;
  return moveParameters(withoutWrappers(toDuckdbClauses(tokens.map(plainString))))
    .map(({ text }) => text)
    .join("");
}

/** Escapes with a backslash are ClickHouse's. */
function plainString(token: Token): Token {
  if (token.kind !== "string" || !token.text.includes("\\")) return token;
  return { kind: "string", text: `'${textOf(token).replaceAll("'", "''")}'` };
}

const WRAPPERS = /^(?:nullable|lowcardinality)$/i;

/** `Nullable(String)` is `String`: all of DuckDB's types have NULL. */
function withoutWrappers(tokens: readonly Token[]): readonly Token[] {
  const closing = findClosings(tokens);
  const dropped = new Set<number>();
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== "word" || !WRAPPERS.test(text)) continue;
    const open = nextIndex(tokens, at + 1);
    const close = closing.get(open);
    if (close !== undefined) for (const index of [at, open, close]) dropped.add(index);
  }
  return dropped.size === 0 ? tokens : tokens.filter((_, at) => !dropped.has(at));
}

const QUANTILES = /^quantile(?:Exact|TDigest|Timing)?(If)?$/i;

/** `quantile(0.9)(x)` is `quantile_cont(x, 0.9)`. Quantiles are not nested, as no aggregates are. */
function moveParameters(tokens: readonly Token[]): readonly Token[] {
  const closing = findClosings(tokens);
  const all: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    const found = token.kind === "word" ? QUANTILES.exec(token.text) : null;
    const open = nextIndex(tokens, at + 1);
    const close = found === null ? undefined : closing.get(open);
    const second = close === undefined ? -1 : nextIndex(tokens, close + 1);
    const end = closing.get(second);
    if (found === null || close === undefined || end === undefined) {
      all.push(token);
      continue;
    }
    const values = tokens.slice(second + 1, end);
    const isIf = found[1] !== undefined;
    // The condition of quantileIf is the last argument.
    const comma = isIf ? lastComma(values) : values.length;
    all.push(symbol(isIf ? "quantile_contIf" : "quantile_cont"), symbol("("), ...values.slice(0, comma), symbol(", "));
    all.push(...tokens.slice(open + 1, close), ...values.slice(comma), symbol(")"));
    at = end;
  }
  return all;
}

function symbol(text: string): Token {
  return { kind: "symbol", text };
}

function nextIndex(tokens: readonly Token[], from: number): number {
  let at = from;
  while (tokens[at]?.kind === "blank") at += 1;
  return at;
}

/** Index of an open round bracket -> that of its closing one. */
function findClosings(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const open: number[] = [];
  const closings = new Map<number, number>();
  for (const [at, token] of tokens.entries()) {
    if (is(token, "(")) open.push(at);
    else if (is(token, ")")) closings.set(open.pop() ?? -1, at);
  }
  closings.delete(-1);
  return closings;
}

function lastComma(tokens: readonly Token[]): number {
  let depth = 0;
  for (let at = tokens.length - 1; at >= 0; at -= 1) {
    if (is(tokens[at], ")") || is(tokens[at], "]")) depth += 1;
    else if (is(tokens[at], "(") || is(tokens[at], "[")) depth -= 1;
    else if (is(tokens[at], ",") && depth === 0) return at;
  }
  return tokens.length;
}
