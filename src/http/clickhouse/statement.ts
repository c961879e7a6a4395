/** Reads the text of a request: one statement with what ClickHouse allows after it. */
import { SQL_LIMITS } from "../../contract/query.ts";
import { identifierOf, is, quoteText, type Token, textOf, tokenize } from "../../lib/sql-tokens.ts";
import { ClickHouseError } from "./errors.ts";
import { findKnownStatement } from "./known-statements.ts";
import { bindParameters } from "./parameters.ts";
import { depths, rewrite, type Session } from "./rewrite.ts";

export type Plan =
  | { readonly kind: "query"; readonly sql: string }
  /** The columns that a query would have. */
  | { readonly kind: "describe"; readonly sql: string }
  | { readonly kind: "describe-table"; readonly table: string }
  | { readonly kind: "create-table"; readonly table: string }
  /** A statement without an effect, such as USE. */
  | { readonly kind: "nothing" };

export interface Statement {
  readonly plan: Plan;
  readonly format: string | undefined;
  readonly settings: readonly (readonly [string, string])[];
}

/** With comments and white space. */
const MOST_CHARS = 256 * 1024;

export function readStatement(
  text: string,
  query: URLSearchParams,
  session: Session,
  systemTables: ReadonlySet<string>,
): Statement {
  if (text.length > MOST_CHARS) throw new ClickHouseError("SYNTAX_ERROR", "Syntax error: the query is too long");
  const all = tokenize(text);
  if (all === undefined) throw new ClickHouseError("SYNTAX_ERROR", "Syntax error: a quote or a comment is not closed");
  const said = withoutBlanks(all);
  if (said.reduce((chars, token) => chars + token.text.length, 0) > SQL_LIMITS.chars)
    throw new ClickHouseError("SYNTAX_ERROR", `The query has more than ${SQL_LIMITS.chars} characters`);
  const { tokens, format, settings } = takeTail(said);
  const read = (part: readonly Token[]) => join(rewrite(bindParameters(part, query), session, systemTables));
  refuseValues(tokens);
  const plan = readPlan(tokens, session, read);
  return { plan, format, settings };
}

/** Comments are blanks, too. */
function withoutBlanks(all: readonly Token[]): Token[] {
  const said: Token[] = [];
  for (const [at, token] of all.entries()) {
    if (token.kind === "blank") continue;
    const isApart = at === 0 || all[at - 1]?.kind === "blank";
    said.push(isApart ? token : { kind: token.kind, text: token.text, gap: false });
  }
  return said;
}

/** With a blank where there was one, because the text of a column without an alias is its name. */
function join(tokens: readonly Token[]): string {
  return tokens
    .map((token, at) => (at > 0 && needsBlank(tokens[at - 1], token) ? ` ${token.text}` : token.text))
    .join("");
}

/** Two words that were apart stay so, also where what stood between them is gone: `FROM default.events`. */
function needsBlank(before: Token | undefined, { kind, gap }: Token): boolean {
  return gap !== false || (kind !== "symbol" && before?.kind !== "symbol");
}

/** For the patterns of known statements. */
function spaced(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join(" ");
}

/** `FROM VALUES('a Int32', 1)`, which the parser would take for another syntax. */
function refuseValues(tokens: readonly Token[]): void {
  const at = tokens.findIndex((token, i) => is(token, "VALUES") && is(tokens[i + 1], "("));
  const isRead = is(tokens[at - 1], "FROM") || is(tokens[at - 1], "JOIN") || is(tokens[at - 1], ",");
  // A statement of the JDBC driver, which has an answer of its own.
  if (at !== -1 && isRead && findKnownStatement(spaced(tokens)) === undefined)
    throw new ClickHouseError(
      "NOT_IMPLEMENTED",
      "The table function values is not supported here: use SELECT ... UNION ALL SELECT ...",
    );
}

/** Without `;`, FORMAT and SETTINGS at the end, in any order. */
function takeTail(all: readonly Token[]) {
  let tokens = [...all];
  let format: string | undefined;
  const settings: (readonly [string, string])[] = [];
  // Each comes once: before or after the other.
  for (let round = 0; round < 2; round += 1) {
    while (is(tokens.at(-1), ";")) tokens.pop();
    if (is(tokens.at(-2), "FORMAT") && tokens.at(-1)?.kind === "word" && tokens.length > 2) {
      format ??= tokens.at(-1)?.text;
      tokens = tokens.slice(0, -2);
    }
    const found = findSettings(tokens);
    if (found === undefined) continue;
    settings.unshift(...found.settings);
    tokens = tokens.slice(0, found.at);
  }
  return { tokens, format, settings };
}

function findSettings(tokens: readonly Token[]) {
  const isSettings = (token: Token, i: number) => is(token, "SETTINGS") && is(tokens[i + 2], "=");
  if (!tokens.some(isSettings)) return undefined;
  const level = depths(tokens);
  const at = tokens.findLastIndex((token, i) => level[i] === 0 && isSettings(token, i));
  if (at < 1) return undefined;
  const settings: (readonly [string, string])[] = [];
  for (let i = at + 1; i < tokens.length; i += 1) {
    const [name, equals, value] = tokens.slice(i, i + 3);
    // The value of additional_table_filters, which is refused by its name.
    if (name !== undefined && is(value, "{")) return { at, settings: [...settings, [name.text, "{...}"] as const] };
    if (name === undefined || !is(equals, "=") || value === undefined) return undefined;
    settings.push([identifierOf(name) ?? name.text, value.kind === "string" ? textOf(value) : value.text]);
    i += 3;
    if (i < tokens.length && !is(tokens[i], ",")) return undefined;
  }
  return { at, settings };
}

function readPlan(tokens: readonly Token[], session: Session, read: (part: readonly Token[]) => string): Plan {
  const [first, second] = tokens;
  if (first === undefined) throw new ClickHouseError("SYNTAX_ERROR", "Syntax error: the query is empty");
  if (is(first, "SELECT") || is(first, "WITH") || is(first, "("))
    return { kind: "query", sql: findKnownStatement(spaced(tokens)) ?? read(tokens) };
  if (is(first, "DESCRIBE") || is(first, "DESC")) return readDescribe(tokens, session, read);
  if (is(first, "EXISTS")) return readExists(tokens.slice(1), session, read);
  if (is(first, "SHOW")) return readShow(tokens, session, read);
  if (is(first, "USE") && identifierOf(second) !== undefined) {
    requireDatabase(identifierOf(second) ?? "", session);
    return { kind: "nothing" };
  }
  if (is(first, "EXPLAIN") || is(first, "CHECK"))
    throw new ClickHouseError("NOT_IMPLEMENTED", `${first.text.toUpperCase()} is not supported here`);
  if (first.kind === "word" && WRITES.has(first.text.toUpperCase()))
    throw new ClickHouseError("READONLY", `Cannot execute ${first.text.toUpperCase()}: this endpoint is readonly`);
  throw new ClickHouseError("SYNTAX_ERROR", `Syntax error: failed at ${first.text.slice(0, 40)}. Expected SELECT`);
}

const WRITES = new Set(
  "INSERT CREATE DROP ALTER TRUNCATE RENAME EXCHANGE OPTIMIZE ATTACH DETACH SYSTEM KILL GRANT REVOKE SET UPDATE DELETE BACKUP RESTORE MOVE UNDROP COPY EXPORT IMPORT PRAGMA INSTALL LOAD CALL VACUUM BEGIN COMMIT ROLLBACK".split(
    " ",
  ),
);

function requireDatabase(name: string, { databases }: Session): void {
  if (!databases.has(name) && !/^(?:system|information_schema)$/i.test(name))
    throw new ClickHouseError("UNKNOWN_DATABASE", `Database ${name.slice(0, 80)} does not exist`);
}

/** `[database.]table`, as `system.x` or without its database. */
function readTable(tokens: readonly Token[], session: Session): string {
  const [first, dot, second] = tokens;
  const [database, table] = is(dot, ".")
    ? [identifierOf(first), identifierOf(second)]
    : [session.database, identifierOf(first)];
  if (database === undefined || table === undefined || tokens.length > (is(dot, ".") ? 3 : 1))
    throw new ClickHouseError("SYNTAX_ERROR", "Syntax error: expected the name of a table");
  requireDatabase(database, session);
  return /^(?:system|information_schema)$/i.test(database) ? `${database.toLowerCase()}.${table}` : table;
}

function readDescribe(tokens: readonly Token[], session: Session, read: (part: readonly Token[]) => string): Plan {
  const rest = tokens.slice(is(tokens[1], "TABLE") ? 2 : 1);
  if (is(rest[0], "(") && is(rest.at(-1), ")")) return { kind: "describe", sql: read(rest.slice(1, -1)) };
  if (is(rest[0], "SELECT") || is(rest[0], "WITH")) return { kind: "describe", sql: read(rest) };
  return { kind: "describe-table", table: readTable(rest, session) };
}

const ofText = (sql: string) => (tokenize(sql) ?? []).filter(({ kind }) => kind !== "blank");

function readExists(tokens: readonly Token[], session: Session, read: (part: readonly Token[]) => string): Plan {
  const rest = tokens.slice(["TABLE", "VIEW"].some((text) => is(tokens[0], text)) ? 1 : 0);
  const table = readTable(rest, session);
  const sql = `SELECT CAST(count() AS UInt8) AS result FROM system.tables WHERE name = ${quoteText(table)}`;
  return { kind: "query", sql: read(ofText(sql)) };
}

/** SHOW DATABASES, and SHOW [FULL] TABLES [FROM database] [LIKE pattern]. */
function readShow(tokens: readonly Token[], session: Session, read: (part: readonly Token[]) => string): Plan {
  const rest = tokens.slice(is(tokens[1], "FULL") ? 2 : 1);
  if (is(tokens[1], "CREATE")) {
    const named = tokens.slice(is(tokens[2], "TABLE") || is(tokens[2], "VIEW") ? 3 : 2);
    return { kind: "create-table", table: readTable(named, session) };
  }
  if (is(rest[0], "DATABASES"))
    return { kind: "query", sql: read(ofText("SELECT name FROM system.databases ORDER BY name")) };
  if (!is(rest[0], "TABLES"))
    throw new ClickHouseError(
      "NOT_IMPLEMENTED",
      "Only SHOW DATABASES, SHOW TABLES and SHOW CREATE TABLE are supported",
    );
  let database = session.database;
  let like = "";
  for (let at = 1; at < rest.length; at += 2) {
    const value = rest[at + 1];
    if ((is(rest[at], "FROM") || is(rest[at], "IN")) && value !== undefined) database = identifierOf(value) ?? "";
    else if (is(rest[at], "LIKE") && value?.kind === "string") like = ` AND name LIKE ${quoteText(textOf(value))}`;
    else throw new ClickHouseError("SYNTAX_ERROR", "Syntax error in SHOW TABLES");
  }
  requireDatabase(database, session);
  // The tables have the database's name of this session.
  const own = database === "system" ? "system" : session.database;
  const sql = `SELECT name FROM system.tables WHERE database = ${quoteText(own)}${like} ORDER BY name`;
  return { kind: "query", sql: read(ofText(sql)) };
}
