/**
 * Replaces `{name:Type}` by the literal of the parameter `param_name`. The value is checked against the type and quoted
 * here, so that the statement has no parameters left when the engine's parser reads it.
 */
import { SQL_LIMITS } from "../../contract/query.ts";
import { is, quoteText, type Token, textOf, tokenize, unescapeText } from "../../lib/sql-tokens.ts";
import { ClickHouseError } from "./errors.ts";

export function bindParameters(tokens: readonly Token[], query: URLSearchParams): Token[] {
  const bound: Token[] = [];
  // The first of a name counts, as for URLSearchParams.get, which searches the whole list at each use.
  const values = new Map([...query].reverse());
  const literals = new Map<string, Token[]>();
  let chars = 0;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    if (!is(token, "{")) {
      bound.push(token);
      continue;
    }
    const end = closingOf(tokens, at);
    const name = tokens[at + 1]?.text ?? "";
    if (end === -1 || !is(tokens[at + 2], ":"))
      throw new ClickHouseError("SYNTAX_ERROR", "Syntax error: a parameter is written {name:Type}");
    const type = tokens.slice(at + 3, end).map(({ text }) => text);
    const value = values.get(`param_${name}`);
    if (value === undefined)
      throw new ClickHouseError("UNKNOWN_QUERY_PARAMETER", `Substitution ${name.slice(0, 80)} is not set`);
    chars += value.length;
    if (chars > SQL_LIMITS.chars)
      throw new ClickHouseError("BAD_QUERY_PARAMETER", `The parameters have more than ${SQL_LIMITS.chars} characters`);
    // Thousands of uses of one parameter are parsed once.
    const use = `${name}:${type.join("")}`;
    const literal = literals.get(use) ?? toLiteral(name, type.join(""), value);
    literals.set(use, literal);
    bound.push(...literal);
    at = end;
  }
  return bound;
}

/** A parameter has a name and a type, which are few tokens. */
const MOST_TOKENS = 40;

function closingOf(tokens: readonly Token[], open: number): number {
  const last = Math.min(open + MOST_TOKENS, tokens.length) - 1;
  for (let at = open; at <= last; at += 1) if (is(tokens[at], "}")) return at;
  return -1;
}

/** The tokens of a value, which is escaped as in TabSeparated. */
function toLiteral(name: string, type: string, value: string): Token[] {
  const [, outer = "", inner = ""] = /^(\w+)(?:\((.*)\))?$/s.exec(type) ?? [];
  const literal = literalOf(outer, inner, value);
  const tokens = literal === undefined ? undefined : tokenize(literal)?.filter(({ kind }) => kind !== "blank");
  if (tokens === undefined)
    throw new ClickHouseError("BAD_QUERY_PARAMETER", `Value of ${name.slice(0, 80)} cannot be parsed as ${type}`);
  return tokens;
}

function literalOf(type: string, inner: string, value: string): string | undefined {
  if (type === "Nullable" && value === "\\N") return "NULL";
  if (type === "Nullable" || type === "LowCardinality") {
    const [, outer = "", rest = ""] = /^(\w+)(?:\((.*)\))?$/s.exec(inner) ?? [];
    return literalOf(outer, rest, value);
  }
  if (type === "String" || type === "FixedString" || type === "UUID" || /^Enum/.test(type))
    return quoteText(unescapeText(value));
  if (/^U?Int\d+$/.test(type)) return /^-?\d{1,40}$/.test(value) ? value : undefined;
  if (/^(?:Float|Decimal)\d*$/.test(type))
    return /^-?\d{1,40}(?:\.\d{0,40})?(?:e[+-]?\d{1,3})?$/i.test(value) ? value : undefined;
  if (type === "Bool") return { true: "true", 1: "true", false: "false", 0: "false" }[value.toLowerCase()];
  if (type === "Date" || type === "Date32") return /^\d{4}-\d\d-\d\d$/.test(value) ? `toDate('${value}')` : undefined;
  if (type === "DateTime" || type === "DateTime64") return timeLiteral(value);
  if (type === "Identifier") return `"${unescapeText(value).replaceAll('"', '""')}"`;
  return type === "Array" ? arrayLiteral(inner, value) : undefined;
}

/** Seconds since 1970, or a time in UTC. */
function timeLiteral(value: string): string | undefined {
  const text = /^\d{1,10}(?:\.\d{1,9})?$/.test(value)
    ? new Date(Number(value) * 1000).toISOString().slice(0, 23).replace("T", " ")
    : unescapeText(value);
  return /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,9})?$/.test(text) ? `toDateTime64('${text}', 3)` : undefined;
}

function arrayLiteral(inner: string, value: string): string | undefined {
  const tokens = tokenize(value)?.filter(({ kind }) => kind !== "blank");
  if (tokens === undefined || !is(tokens[0], "[") || !is(tokens.at(-1), "]")) return undefined;
  const items: (string | undefined)[] = [];
  for (let at = 1; at < tokens.length - 1; at += 1) {
    const sign = is(tokens[at], "-") ? "-" : "";
    if (sign !== "") at += 1;
    const token = tokens[at] as Token;
    items.push(literalOf(inner, "", token.kind === "string" ? escapeText(textOf(token)) : sign + token.text));
    at += 1;
    if (at < tokens.length - 1 && !is(tokens[at], ",")) return undefined;
  }
  return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
}

function escapeText(text: string): string {
  return text.replaceAll("\\", "\\\\");
}
