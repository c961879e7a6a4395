/**
 * Splits SQL into tokens, as ClickHouse reads it. For rewriting by words; nothing that must be safe depends on it,
 * because the engine's own parser reads the result.
 */
export interface Token {
  /** Blank is white space or a comment. A name is in double quotes or backquotes. */
  readonly kind: "word" | "number" | "string" | "name" | "symbol" | "blank";
  readonly text: string;
  /** False: it follows the token before it without a blank. */
  readonly gap?: boolean | undefined;
}

const KINDS = ["blank", "string", "name", "number", "word", "symbol"] as const;

/** One group for each kind. One expression: with one for each kind a statement of brackets took three times as long. */
const TOKEN = new RegExp(
  [
    String.raw`(\s+|--[^\n]*|#[! ][^\n]*|/\*.*?\*/)`,
    String.raw`('(?:[^'\\]|\\.|'')*')`,
    String.raw`("(?:[^"\\]|\\.|"")*"|\x60(?:[^\x60\\]|\\.|\x60\x60)*\x60)`,
    String.raw`(0[xX][\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)`,
    String.raw`([\p{L}_][\p{L}\p{N}_$]*)`,
    String.raw`(::|->|<=>|[<>!=]=|<>|\|\||.)`,
  ].join("|"),
  "suy",
);

/** Undefined if a quote or a comment is not closed. */
export function tokenize(sql: string): Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(sql);
    if (found === null) return undefined;
    let group = 1;
    while (group < KINDS.length && found[group] === undefined) group += 1;
    const kind = KINDS[group - 1] ?? "symbol";
    if (kind === "symbol" && isOpen(sql, at)) return undefined;
    tokens.push({ kind, text: found[0] });
    at += found[0].length;
  }
  return tokens;
}

function isOpen(sql: string, at: number): boolean {
  const first = sql[at];
  return first === "'" || first === '"' || first === "`" || sql.startsWith("/*", at);
}

/** Whether a token is this word or symbol; words ignore case. */
export function is(token: Token | undefined, text: string): boolean {
  if (token === undefined || token.text.length !== text.length) return false;
  if (token.text === text) return token.kind === "word" || token.kind === "symbol";
  return token.kind === "word" && token.text.toUpperCase() === text.toUpperCase();
}

/** The identifier that a word or a quoted name stands for. */
export function identifierOf(token: Token | undefined): string | undefined {
  if (token?.kind === "word") return token.text;
  if (token?.kind !== "name") return undefined;
  const quote = token.text[0] ?? "";
  return token.text.slice(1, -1).replaceAll(quote + quote, quote);
}

/** A string literal, as ClickHouse reads it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", 0: "\0", a: "\x07" };

/** The text of a string literal. */
export function textOf(token: Token): string {
  const inside = token.text.slice(1, -1);
  return inside.replaceAll(/''|\\x[\da-f]{2}|\\./gis, (found) => (found === "''" ? "'" : unescapeText(found)));
}

/** ClickHouse's escapes with a backslash. One that means nothing is the text itself: `\d` is a backslash and a d. */
export function unescapeText(text: string): string {
  return text.replaceAll(/\\x([\da-f]{2})|\\(.)/gis, (found, hex: string | undefined, char: string | undefined) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return ESCAPES[char ?? ""] ?? (/^[\\'"`/=]$/.test(char ?? "") ? (char ?? "") : found);
  });
}
