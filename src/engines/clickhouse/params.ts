/** A statement, and the query of the URL it is sent with. */
export interface Bound {
  readonly sql: string;
  readonly query: string;
}

export type Params = Readonly<Record<string, unknown>>;
export type Settings = Readonly<Record<string, string | number>>;

/** A tuple among the parameters; an array would be an Array to ClickHouse. */
export class Tuple {
  readonly values: readonly (string | number)[];

  constructor(...values: readonly (string | number)[]) {
    this.values = values;
  }
}

/** ClickHouse takes 128 KiB in a field of a URL (http_max_field_value_size), and whoever runs the server alone can raise that. */
const LONGEST_FIELD = 100_000;

/**
 * Parameters that the statement names go with it; the others would be something more for ClickHouse to read. What is too long for a field of the URL,
 * such as 8,000 revisions of a report, is one text in the statement instead: a list of so many numbers would be too many elements of its syntax.
 */
export function bind(sql: string, params: Params, settings: Settings): Bound {
  const fields = Object.entries(settings).map(([name, value]) => `${name}=${encode(String(value))}`);
  const literals = new Map<string, string>();
  for (const [name, value] of Object.entries(params)) {
    if (!sql.includes(`{${name}:`)) continue;
    const text = formatParam(value);
    if (text.length <= LONGEST_FIELD) fields.push(`param_${name}=${encode(text)}`);
    else literals.set(name, text);
  }
  if (literals.size === 0) return { sql, query: fields.join("&") };
  const bound = sql.replaceAll(/\{(\w+):([^}]+)\}/g, (whole, name: string, type: string) => {
    const literal = literals.get(name);
    return literal === undefined ? whole : `CAST('${escapeText(literal)}', '${escapeText(type)}')`;
  });
  // The server's own bound for the text of a statement is 256 KiB.
  fields.push(`max_query_size=${bound.length * 4}`);
  return { sql: bound, query: fields.join("&") };
}

/** Lists are made of commas, and those may stand as they are. Text that is not well-formed could not be encoded at all. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("%2C", ",");
}

/** As ClickHouse reads it: text in its TSV escapes, quoted inside of an array or a tuple. What we never bind (NULL, maps) is a bug and throws. */
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
