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
 * elements. Numbers with a fraction go into the statement, too: no setting makes ClickHouse before 26.7 read a parameter
 * exactly, and -28.6852 was not found by `IN`.
 */
export function bind(sql: string, params: Params, settings: Settings): Bound {
  const fields = Object.entries(settings).map(([name, value]) => `${name}=${encode(String(value))}`);
  const literals = new Map<string, (type: string) => string>();
  for (const [name, value] of Object.entries(params)) {
    if (!sql.includes(`{${name}:`)) continue;
    if (sql.includes(`{${name}:Float64}`) || sql.includes(`{${name}:Array(Float64)}`)) {
      literals.set(name, formatFloats(value));
      continue;
    }
    const text = formatParam(value);
    // As it is sent: a letter beyond ASCII takes six to twelve characters there.
    const encoded = encode(text);
    if (encoded.length <= LONGEST_FIELD) fields.push(`param_${name}=${encoded}`);
    else literals.set(name, (type) => `CAST('${escapeText(text)}', '${escapeText(type)}')`);
  }
  if (literals.size === 0) return { sql, query: fields.join("&") };
  const bound = sql.replaceAll(/\{(\w+):([^}]+)\}/g, (whole, name: string, type: string) => {
    const literal = literals.get(name);
    return literal === undefined ? whole : literal(type);
  });
  // The server's default limit of a statement is 256 KiB.
  fields.push(`max_query_size=${bound.length * 4}`);
  return { sql: bound, query: fields.join("&") };
}

/** Numbers as literals of Float64; an exponent keeps those without a fraction from being integers. */
function formatFloats(value: unknown): () => string {
  const all = Array.isArray(value) ? value : [value];
  const texts = all.map((one) => {
    if (typeof one !== "number" || !Number.isFinite(one)) throw new TypeError("a Float64 must be a finite number");
    const text = String(one);
    return text.includes("e") ? text : `${text}e0`;
  });
  if (!Array.isArray(value)) return () => `(${texts.join("")})`;
  return () => (texts.length === 0 ? "CAST([], 'Array(Float64)')" : `[${texts.join(",")}]`);
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
