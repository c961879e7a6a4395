import { EngineException } from "./exceptions.ts";

/**
 * A lexer for ClickHouse SQL, just deep enough to find where statements, clauses and inline data begin. It works on
 * UTF-8 bytes because the data after an INSERT may be binary, and its offsets must be byte offsets into that body.
 */
export interface Token {
  readonly kind: "word" | "quoted" | "string" | "symbol";
  /** A word or a quoted identifier without its quotes; for a string only the quote, so data never travels further. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Number of brackets open before this token. */
  readonly depth: number;
}

const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
const DOLLAR = 0x24;
const QUOTES: ReadonlyMap<number, Token["kind"]> = new Map([
  [0x27, "string"],
  [0x22, "quoted"],
  [0x60, "quoted"],
]);

export function* tokens(sql: Buffer): Generator<Token, void, void> {
  let at = 0;
  let depth = 0;
  while (at < sql.length) {
    const byte = sql[at] ?? 0;
    const comment = findCommentEnd(sql, at);
    if (comment !== undefined) {
      at = comment;
    } else if (isSpace(byte)) {
      at += 1;
    } else {
      const token = readToken(sql, at, byte, depth);
      if (token.text === "(" || token.text === "[" || token.text === "{") depth += token.kind === "symbol" ? 1 : 0;
      if (token.text === ")" || token.text === "]" || token.text === "}") depth -= token.kind === "symbol" ? 1 : 0;
      at = token.end;
      yield token;
    }
  }
}

function readToken(sql: Buffer, start: number, byte: number, depth: number): Token {
  const quote = QUOTES.get(byte);
  if (quote !== undefined) return readQuoted(sql, start, byte, quote, depth);
  const typographic = readTypographic(sql, start, depth);
  if (typographic !== undefined) return typographic;
  if (byte === DOLLAR) {
    const heredoc = readHeredoc(sql, start, depth);
    if (heredoc !== undefined) return heredoc;
  }
  if (byte === 0) throw new EngineException(62, "SYNTAX_ERROR", "Syntax error: a NUL byte outside of data.");
  if (!isWord(byte)) {
    return { kind: "symbol", text: String.fromCharCode(byte), start, end: start + 1, depth };
  }
  let end = start + 1;
  while (end < sql.length && isWord(sql[end] ?? 0)) end += 1;
  return { kind: "word", text: sql.toString("utf8", start, end), start, end, depth };
}

/** 'a\'b', "a""b", `a`: a backslash escapes, a doubled quote is the quote itself. */
function readQuoted(sql: Buffer, start: number, quote: number, kind: Token["kind"], depth: number): Token {
  let at = start + 1;
  for (;;) {
    const byte = sql[at];
    if (byte === undefined) throw unclosed(String.fromCharCode(quote));
    if (byte === BACKSLASH) at += 2;
    else if (byte !== quote) at += 1;
    else if (sql[at + 1] === quote) at += 2;
    else break;
  }
  const text = kind === "quoted" ? unquote(sql.toString("utf8", start + 1, at), quote) : "'";
  return { kind, text, start, end: at + 1, depth };
}

function unquote(body: string, quote: number): string {
  const mark = String.fromCharCode(quote);
  return body.replaceAll(mark + mark, mark).replace(/\\(.)/gs, "$1");
}

/** ClickHouse also takes the typographic pairs U+2018/2019 as a string and U+201C/201D as an identifier. */
function readTypographic(sql: Buffer, start: number, depth: number): Token | undefined {
  if (sql[start] !== 0xe2 || sql[start + 1] !== 0x80) return undefined;
  const open = sql[start + 2];
  if (open !== 0x98 && open !== 0x9c) return undefined;
  const close = sql.indexOf(Buffer.from([0xe2, 0x80, open + 1]), start + 3);
  if (close < 0) throw unclosed(sql.toString("utf8", start, start + 3));
  const kind = open === 0x98 ? "string" : "quoted";
  return { kind, text: kind === "string" ? "'" : sql.toString("utf8", start + 3, close), start, end: close + 3, depth };
}

/** $tag$ ... $tag$ */
function readHeredoc(sql: Buffer, start: number, depth: number): Token | undefined {
  let at = start + 1;
  while (at < sql.length && isWord(sql[at] ?? 0) && sql[at] !== DOLLAR) at += 1;
  if (sql[at] !== DOLLAR) return undefined;
  const tag = sql.subarray(start, at + 1);
  const close = sql.indexOf(tag, at + 1);
  if (close < 0) return undefined;
  return { kind: "string", text: "'", start, end: close + tag.length, depth };
}

/** `-- x`, `#! x`, `# x` to the end of the line, and `/* x *\/`, which nests. */
function findCommentEnd(sql: Buffer, at: number): number | undefined {
  const byte = sql[at];
  const next = sql[at + 1];
  const toLineEnd = (byte === 0x2d && next === 0x2d) || (byte === 0x23 && (next === 0x20 || next === 0x21));
  if (toLineEnd) {
    const end = sql.indexOf(NEWLINE, at);
    return end < 0 ? sql.length : end + 1;
  }
  if (byte !== 0x2f || next !== 0x2a) return undefined;
  let open = 1;
  let end = at + 2;
  while (open > 0) {
    if (end >= sql.length)
      throw new EngineException(62, "SYNTAX_ERROR", "Syntax error: Multiline comment is not closed.");
    const pair = sql.toString("latin1", end, end + 2);
    if (pair === "/*") open += 1;
    if (pair === "*/") open -= 1;
    end += pair === "/*" || pair === "*/" ? 2 : 1;
  }
  return end;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Letters, digits, `_`, `$` and every byte of a non-ASCII character. */
function isWord(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x5f ||
    byte === DOLLAR ||
    byte >= 0x80
  );
}

function unclosed(quote: string): EngineException {
  return new EngineException(62, "SYNTAX_ERROR", `Syntax error: ${quote} quoted text is not closed.`);
}
