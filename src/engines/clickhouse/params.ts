/** A statement and the URL query that is sent with it. */
export interface Bound {
  readonly sql: string;
  readonly query: string;
}

export type Params = Readonly<Record<string, unknown>>;
export type Settings = Readonly<Record<string, string | number>>;

/** A tuple as a parameter: ClickHouse reads a plain array as an Array. */
export class Tuple {
  readonly values: readonly (string | number)[];

  constructor(...values: readonly (string | number)[]) {
    this.values = values;
  }
}

/**
 * ClickHouse accepts 128 KiB in a URL field (http_max_field_value_size); only the server's configuration can raise
 * that.
 */
const LONGEST_FIELD = 100_000;

/**
 * Sends only the parameters that the statement uses. A value too long for a URL field, such as the 8,000 revisions of a
 * report, becomes one quoted literal in the statement: a list of so many numbers would exceed the limit of syntax
 * elements.
 */
export function bind(sql: string, params: Params, settings: Settings): Bound {
  const fields = Object.entries(settings).map(([name, value]) => `${name}=${encode(String(value))}`);
  const literals = new Map<string, string>();
  for (const [name, value] of Object.entries(params)) {
    if (!sql.includes(`{${name}:`)) continue;
    const text = formatParam(value);
    // As it is sent: a letter beyond ASCII takes six to twelve characters there.
    const encoded = encode(text);
    if (encoded.length <= LONGEST_FIELD) fields.push(`param_${name}=${encoded}`);
    else literals.set(name, text);
  }
  if (literals.size === 0) return { sql, query: fields.join("&") };
  const bound = sql.replaceAll(/\{(\w+):([^}]+)\}/g, (whole, name: string, type: string) => {
    const literal = literals.get(name);
    return literal === undefined ? whole : `CAST('${escapeText(literal)}', '${escapeText(type)}')`;
  });
  // The server's default limit of a statement is 256 KiB.
  fields.push(`max_query_size=${bound.length * 4}`);
  return { sql: bound, query: fields.join("&") };
}

/** Commas separate list elements and need no escape. Malformed Unicode cannot be encoded, so it is replaced. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("%2C", ",");
}

/**
 * Formats a value as ClickHouse reads it: TSV escapes, and quotes inside an array or a tuple. Types that we never bind
 * (NULL, maps) throw.
 */
function formatParam(value: unknown, isInside = false): string {
  if (typeof value === "string") return isInside ? `'${escapeText(value)}'` : escapeText(value);
  if (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))) return String(value);
  if (Array.isArray(value)) return `[${value.map((each) => formatParam(each, true)).join(",")}]`;
  if (value instanceof Tuple) return `(${value.values.map((each) => formatParam(each, true)).join(",")})`;
  throw new TypeError(`cannot bind a parameter of type ${typeof value}`);
}

const ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "'": "\\'", "\\": "\\\\" };

function escapeText(text: string): string {
  return text.replace(/[\t\n\r'\\]/g, (char) => ESCAPES[char] ?? char);
}
