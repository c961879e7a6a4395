/**
 * Rewrites a SELECT of a BI tool into one over our tables: names of databases, tables of `system`, functions that
 * describe the server, and `a ? b : c`. What is left is checked like any other statement of a user.
 */
import { identifierOf, is, quoteText, type Token, textOf } from "../../lib/sql-tokens.ts";
import { ClickHouseError, SERVER_VERSION } from "./errors.ts";

export interface Session {
  readonly database: string;
  /** All names of the database. */
  readonly databases: ReadonlySet<string>;
  readonly user: string;
}

/** Clients read Native blocks by this revision of the protocol, unless they ask for another one. */
const REVISION = 54_460;

const word = (text: string): Token => ({ kind: "word", text });
const symbol = (text: string): Token => ({ kind: "symbol", text });
const quoted = (text: string): Token => ({ kind: "name", text: `"${text.replaceAll('"', '""')}"` });
const literal = (text: string): Token => ({ kind: "string", text: quoteText(text) });

export function rewrite(tokens: readonly Token[], session: Session, systemTables: ReadonlySet<string>): Token[] {
  const steps = [
    quoteAlike,
    (all: readonly Token[]) => nameSystemTables(all, systemTables),
    (all: readonly Token[]) => withoutDatabase(all, session.databases),
    (all: readonly Token[]) => answerServerFunctions(all, session),
    replaceTernaries,
  ];
  return steps.reduce<Token[]>((all, step) => step(all), [...tokens]);
}

/** Quotes inside of strings are doubled, and `table`, a column of `system.columns`, is a name. */
function quoteAlike(tokens: readonly Token[]): Token[] {
  return tokens.map((token) => {
    if (token.kind === "string" && token.text.includes("\\")) return literal(textOf(token));
    return is(token, "table") ? quoted(token.text) : token;
  });
}

const CATALOGUES = ["system", "information_schema"] as const;

/**
 * `system.tables` becomes one name. In a FROM it has an alias, its own or `tables`: ClickHouse knows its columns as
 * `tables.name` and as `system.tables.name`.
 */
function nameSystemTables(tokens: readonly Token[], known: ReadonlySet<string>): Token[] {
  const aliases = findAliases(tokens);
  const named: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const full = tableAfter(tokens, at);
    if (full === undefined) {
      named.push(tokens[at] as Token);
      continue;
    }
    if (!known.has(full)) throw new ClickHouseError("UNKNOWN_TABLE", `Table ${full.slice(0, 100)} does not exist`);
    const short = full.slice(full.indexOf(".") + 1);
    if (isRead(tokens[at - 1])) {
      named.push({ ...quoted(full), gap: (tokens[at] as Token).gap });
      if (!aliases.has(full)) named.push(word("AS"), quoted(short));
    } else named.push({ ...quoted(aliases.get(full) ?? short), gap: (tokens[at] as Token).gap });
    at += 2;
  }
  return named;
}

/** The name after `system.`, with it, unless that is itself a part of a longer name. */
function tableAfter(tokens: readonly Token[], at: number): string | undefined {
  if (!is(tokens[at + 1], ".") || is(tokens[at - 1], ".")) return undefined;
  const database = identifierOf(tokens[at])?.toLowerCase();
  const catalogue = CATALOGUES.find((name) => name === database);
  const table = identifierOf(tokens[at + 2]);
  if (catalogue === undefined || table === undefined) return undefined;
  return `${catalogue}.${table.toLowerCase()}`;
}

function isRead(before: Token | undefined): boolean {
  return is(before, "FROM") || is(before, "JOIN");
}

const AFTER_TABLE = new Set(
  "ON USING WHERE JOIN LEFT RIGHT INNER FULL CROSS ANY ALL ASOF GLOBAL GROUP ORDER LIMIT UNION HAVING PREWHERE FINAL SAMPLE ARRAY SETTINGS FORMAT".split(
    " ",
  ),
);

function findAliases(tokens: readonly Token[]): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  for (let at = 1; at < tokens.length; at += 1) {
    const table = tableAfter(tokens, at);
    if (table === undefined || !isRead(tokens[at - 1])) continue;
    const next = is(tokens[at + 3], "AS") ? tokens[at + 4] : tokens[at + 3];
    const alias = identifierOf(next);
    if (alias !== undefined && !AFTER_TABLE.has(alias.toUpperCase())) aliases.set(table, alias);
  }
  return aliases;
}

/** `default.events` is `events`. */
function withoutDatabase(tokens: readonly Token[], databases: ReadonlySet<string>): Token[] {
  return tokens.filter((token, at) => {
    const isName = (i: number) =>
      is(tokens[i + 1], ".") &&
      !is(tokens[i - 1], ".") &&
      databases.has(identifierOf(tokens[i]) ?? "") &&
      identifierOf(tokens[i + 2]) !== undefined;
    return !isName(at) && !(is(token, ".") && isName(at - 1));
  });
}

/** A column without an alias keeps the function's name, which some clients look for. */
function answerServerFunctions(tokens: readonly Token[], session: Session): Token[] {
  const answers: Readonly<Record<string, readonly Token[]>> = {
    version: [literal(SERVER_VERSION)],
    timezone: [literal("UTC")],
    servertimezone: [literal("UTC")],
    currentdatabase: [literal(session.database)],
    database: [literal(session.database)],
    currentuser: [literal(session.user)],
    displayname: [literal("sextant")],
    hostname: [literal("sextant")],
    revision: [word("CAST"), symbol("("), word(String(REVISION)), word("AS"), word("UInt32"), symbol(")")],
  };
  const listEnd = depths(tokens).findIndex((depth, at) => depth === 0 && is(tokens[at], "FROM"));
  const all: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    const isCall = is(tokens[at + 1], "(") && is(tokens[at + 2], ")");
    const key = isCall && token.kind === "word" ? token.text.toLowerCase() : "";
    const answer = isCall && !is(tokens[at - 1], ".") && Object.hasOwn(answers, key) ? answers[key] : undefined;
    if (answer === undefined) {
      all.push(token);
      continue;
    }
    all.push(...answer);
    const [before, next] = [tokens[at - 1], tokens[at + 3]];
    const isColumn =
      (is(before, "SELECT") || is(before, ",")) && (next === undefined || is(next, ",") || isClause(next));
    if (isColumn && (listEnd === -1 || at < listEnd)) all.push(word("AS"), quoted(`${token.text}()`));
    at += 2;
  }
  return all;
}

function isClause(token: Token): boolean {
  return ["FROM", "LIMIT", "WHERE", "UNION"].some((text) => is(token, text));
}

/** The number of open parentheses before each token. */
export function depths(tokens: readonly Token[]): number[] {
  let depth = 0;
  return tokens.map(({ kind, text }) => {
    if (kind !== "symbol") return depth;
    if (text === "(" || text === "[") return depth++;
    if (text === ")" || text === "]") return --depth;
    return depth;
  });
}

/** Words that end an expression on either side. */
const BOUNDS = new Set(
  "SELECT DISTINCT FROM WHERE PREWHERE GROUP ORDER BY HAVING LIMIT OFFSET UNION ALL AS WHEN THEN ELSE END ON USING SETTINGS ASC DESC WITH".split(
    " ",
  ),
);

/** Each takes a pass over the statement. */
const MOST_TERNARIES = 50;

/** `a ? b : c` binds weaker than any other operator: its parts reach as far as their list does. */
function replaceTernaries(tokens: readonly Token[]): Token[] {
  if (tokens.filter((token) => is(token, "?")).length > MOST_TERNARIES)
    throw new ClickHouseError("SYNTAX_ERROR", `Syntax error: more than ${MOST_TERNARIES} of ? and :`);
  const at = tokens.findLastIndex((token) => is(token, "?"));
  if (at === -1) return [...tokens];
  const depth = depths(tokens);
  const level = depth[at] ?? 0;
  const isBound = (i: number) => {
    const token = tokens[i];
    if (token === undefined || (depth[i] ?? 0) < level) return true;
    if ((depth[i] ?? 0) > level) return false;
    return is(token, ",") || (token.kind === "word" && BOUNDS.has(token.text.toUpperCase()));
  };
  let start = at;
  // Of several in a row, the last one is the innermost.
  const isPart = (i: number) => (is(tokens[i], ":") || is(tokens[i], "?")) && depth[i] === level;
  while (!isBound(start - 1) && !isPart(start - 1)) start -= 1;
  const colon = tokens.findIndex((token, i) => i > at && is(token, ":") && depth[i] === level);
  if (colon === -1) throw new ClickHouseError("SYNTAX_ERROR", "Syntax error: ? without :");
  let end = colon + 1;
  while (!isBound(end)) end += 1;
  const made = [
    ...tokens.slice(0, start),
    word("if"),
    symbol("("),
    ...tokens.slice(start, at),
    symbol(","),
    ...tokens.slice(at + 1, colon),
    symbol(","),
    ...tokens.slice(colon + 1, end),
    symbol(")"),
    ...tokens.slice(end),
  ];
  return replaceTernaries(made);
}
