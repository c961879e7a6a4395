import { EngineException } from "./exceptions.ts";
import { type Token, tokens } from "./sql-tokens.ts";

/**
 * What a request asks for. The engine is a `clickhouse local` inside: it would happily run several statements, write
 * files (INTO OUTFILE) and take SQL that follows a blank line in insert data, so a request is cut here first.
 */
export type Statement = Select | InsertData | Plain;

interface Common {
  /** First keyword in lower case: "select", "insert", "create" ... */
  readonly keyword: string;
  /** Names that are called like a function anywhere in the statement. */
  readonly calls: ReadonlySet<string>;
  /** `name = value` pairs of every SETTINGS clause. */
  readonly settings: ReadonlyArray<readonly [name: string, value: string]>;
}

/** Rows come back, and they can be streamed. `before` + INTO OUTFILE + FORMAT + `after` is what the engine gets. */
export interface Select extends Common {
  readonly kind: "select";
  readonly before: string;
  readonly after: string;
  readonly format: string | undefined;
}

/** INSERT whose rows stand after the statement. */
export interface InsertData extends Common {
  readonly kind: "insert";
  /** INSERT INTO t (a, b) */
  readonly target: string;
  /** SETTINGS x = 1, or nothing */
  readonly clause: string;
  readonly format: string | undefined;
  /** Byte offset of the first row. */
  readonly dataStart: number;
}

/** Everything else; its answer is small or nothing. */
export interface Plain extends Common {
  readonly kind: "plain";
  readonly sql: string;
  readonly format: string | undefined;
}

/** First words of statements that change nothing. */
export const READING: ReadonlySet<string> = new Set("select with from show describe desc explain exists".split(" "));

/** `clickhouse local` takes these words as commands and answers nothing; a server says they are no SQL. */
const CLIENT_COMMANDS = new Set(["exit", "quit", "logout", "q"]);

/** A word FORMAT after one of these is a name in an expression, not the clause. */
const BEFORE_A_NAME = new Set(
  (
    "by as select distinct where prewhere and or not from having on using in like ilike between then when else case " +
    "join interval limit offset with global any all array is , ( [ { . + - / % = < > ! | ? : ;"
  ).split(" "),
);

export function readStatement(sql: Buffer): Statement {
  const all: Token[] = [];
  let insert: InsertReader | undefined;
  let ended = false;
  for (const token of tokens(sql)) {
    if (token.kind === "symbol" && token.text === ";" && token.depth === 0) {
      if (all.length > 0) ended = true;
      continue;
    }
    if (ended) throw new EngineException(62, "SYNTAX_ERROR", "Syntax error: Multi-statements are not allowed.");
    all.push(token);
    if (all.length === 1 && isWord(token, "insert")) insert = new InsertReader();
    const data = insert?.next(token);
    if (data !== undefined) return toInsert(sql, all, data);
  }
  const first = all[0];
  const last = all.at(-1);
  if (first === undefined || last === undefined) throw new EngineException(62, "SYNTAX_ERROR", "Empty query.");
  if (all.length === 1 && CLIENT_COMMANDS.has(first.text.toLowerCase())) {
    throw new EngineException(62, "SYNTAX_ERROR", `Syntax error: failed at position 1 (${first.text}).`);
  }
  refuseFiles(all);
  if (insert?.wantsData) return toInsert(sql, all, { format: undefined, dataStart: sql.length, headEnd: last.end });
  return toQuery(sql, all, first, last);
}

function toQuery(sql: Buffer, all: readonly Token[], first: Token, last: Token): Statement {
  const common = describe(all);
  const format = findFormat(all);
  const text = (from: number, to: number): string => sql.toString("utf8", from, to);
  if (!isSelect(all)) {
    return { kind: "plain", ...common, sql: text(first.start, last.end), format: format?.name };
  }
  return {
    kind: "select",
    ...common,
    before: text(first.start, format?.start ?? last.end),
    after: format === undefined ? "" : text(format.end, last.end),
    format: format?.name,
  };
}

/** SELECT, FROM x SELECT, (SELECT ...) and WITH ... SELECT; WITH ... INSERT is not one. */
function isSelect(all: readonly Token[]): boolean {
  const first = all.find((token) => token.text !== "(");
  if (first === undefined) return false;
  if (isWord(first, "select") || isWord(first, "from")) return true;
  if (!isWord(first, "with")) return false;
  const verb = all.find((token) => token.depth === first.depth && (isWord(token, "select") || isWord(token, "insert")));
  return verb !== undefined && isWord(verb, "select");
}

interface DataStart {
  readonly format: string | undefined;
  readonly headEnd: number;
  readonly dataStart: number;
}

/** Walks INSERT INTO [TABLE] target ... until VALUES or FORMAT name: the rows begin there. */
class InsertReader {
  wantsData = true;
  /** The last part of the table's name; a table may be called `format`. */
  #target: Token | undefined;
  #previous: Token | undefined;

  next(token: Token): DataStart | undefined {
    const previous = this.#previous;
    this.#previous = token;
    if (token.depth > 0 || previous === undefined || isWord(token, "into")) return undefined;
    const prefix = isWord(token, "table") || isWord(token, "function");
    if (this.#target === undefined && prefix && isWord(previous, "into")) return undefined;
    if (this.#target === undefined || previous.text === ".") {
      this.#target = token;
      return undefined;
    }
    if (token.kind !== "word") return undefined;
    if (isWord(previous, "format") && previous !== this.#target) {
      return { format: token.text, headEnd: previous.start, dataStart: token.end };
    }
    if (isWord(token, "values")) return { format: "Values", headEnd: token.start, dataStart: token.end };
    if (isWord(token, "select") || isWord(token, "with")) this.wantsData = false;
    return undefined;
  }
}

function toInsert(sql: Buffer, all: readonly Token[], data: DataStart): InsertData {
  refuseFiles(all);
  const head = all.filter((token) => token.end <= data.headEnd);
  if (head.some((token) => token.depth === 0 && isWord(token, "select"))) {
    throw new EngineException(48, "NOT_IMPLEMENTED", "INSERT ... SELECT ... FORMAT with data is not supported here.");
  }
  const settings = head.find((token) => token.depth === 0 && isWord(token, "settings"));
  const from = all[0]?.start ?? 0;
  return {
    kind: "insert",
    ...describe(head),
    target: sql.toString("utf8", from, settings?.start ?? data.headEnd),
    clause: settings === undefined ? "" : sql.toString("utf8", settings.start, data.headEnd),
    format: data.format,
    dataStart: skipToRows(sql, data.dataStart),
  };
}

/** As the server does: blanks after the format's name, then at most one line end, are not data. */
function skipToRows(sql: Buffer, start: number): number {
  let at = start;
  while (sql[at] === 0x20 || sql[at] === 0x09 || sql[at] === 0x0c) at += 1;
  if (sql[at] === 0x0d && sql[at + 1] === 0x0a) return at + 2;
  return sql[at] === 0x0a ? at + 1 : at;
}

function refuseFiles(all: readonly Token[]): void {
  for (const [index, token] of all.entries()) {
    const next = all[index + 1];
    if (next?.kind !== "word") continue;
    if (isWord(token, "into") && isWord(next, "outfile")) {
      throw new EngineException(358, "INTO_OUTFILE_NOT_ALLOWED", "INTO OUTFILE is not allowed.");
    }
    if (isWord(token, "from") && isWord(next, "infile")) {
      throw new EngineException(48, "NOT_IMPLEMENTED", "FROM INFILE is not allowed.");
    }
  }
}

function findFormat(all: readonly Token[]): { name: string; start: number; end: number } | undefined {
  for (let index = all.length - 2; index > 0; index -= 1) {
    const token = all[index];
    const name = all[index + 1];
    const previous = all[index - 1];
    const after = all[index + 2];
    if (token === undefined || name === undefined || previous === undefined) continue;
    if (token.depth !== 0 || !isWord(token, "format") || name.kind !== "word") continue;
    if (after !== undefined && !isWord(after, "settings")) continue;
    if (BEFORE_A_NAME.has(previous.text.toLowerCase()) && previous.kind !== "quoted") continue;
    if (isWord(name, "asc") || isWord(name, "desc")) continue;
    return { name: name.text, start: token.start, end: name.end };
  }
  return undefined;
}

function describe(all: readonly Token[]): Common {
  const calls = new Set<string>();
  const settings: Array<readonly [string, string]> = [];
  let inSettings = false;
  for (const [index, token] of all.entries()) {
    const next = all[index + 1];
    const named = token.kind === "word" || token.kind === "quoted";
    if (named && next?.kind === "symbol" && next.text === "(") calls.add(token.text.toLowerCase());
    if (isWord(token, "settings")) inSettings = true;
    else if (inSettings && token.kind === "symbol" && token.text === ")") inSettings = false;
    else if (inSettings && named && next?.text === "=") settings.push([token.text, valueText(all, index + 2)]);
  }
  const first = all.find((token) => token.text !== "(");
  return { keyword: first?.kind === "word" ? first.text.toLowerCase() : "", calls, settings };
}

/** A number is one word, or word . word; anything else (a string, a minus) is given as it begins. */
function valueText(all: readonly Token[], index: number): string {
  const whole = all[index]?.text ?? "";
  const fraction = all[index + 1]?.text === "." ? `.${all[index + 2]?.text ?? ""}` : "";
  return whole + fraction;
}

function isWord(token: Token, word: string): boolean {
  return token.kind === "word" && token.text.length === word.length && token.text.toLowerCase() === word;
}

/** For the migration files: each statement's text, comments between them left out. */
export function splitStatements(sql: string): string[] {
  const bytes = Buffer.from(sql);
  const found: string[] = [];
  let start: number | undefined;
  let end = 0;
  for (const token of tokens(bytes)) {
    if (token.kind === "symbol" && token.text === ";" && token.depth === 0) {
      if (start !== undefined) found.push(bytes.toString("utf8", start, end));
      start = undefined;
    } else {
      start ??= token.start;
      end = token.end;
    }
  }
  if (start !== undefined) found.push(bytes.toString("utf8", start, end));
  return found;
}
