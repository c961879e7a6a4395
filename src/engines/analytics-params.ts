import { TupleParam } from "@clickhouse/client";

/** A tuple among the parameters; an array would be an Array to the engine. */
export function tuple(...values: readonly (string | number)[]): unknown {
  return new TupleParam(values);
}

/** ClickHouse takes 128 KiB in a field of a URL (http_max_field_value_size), and whoever runs the server alone can raise that. */
const LONGEST_FIELD = 100_000;

/** A statement, and the query of the URL it is sent with. */
export interface Bound {
  readonly sql: string;
  readonly query: string;
}

/** What is too long for a field of the URL, such as 8,000 builds of a report, is a literal of the statement instead. */
export function bind(
  sql: string,
  params: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, string | number>>,
): Bound {
  const fields = Object.entries(settings).map(([name, value]) => `${name}=${encode(String(value))}`);
  const literals = new Map<string, string>();
  for (const [name, value] of Object.entries(params)) {
    const text = formatParam(value);
    if (text.length <= LONGEST_FIELD) fields.push(`param_${name}=${encode(text)}`);
    else literals.set(name, formatParam(value, true));
  }
  if (literals.size === 0) return { sql, query: fields.join("&") };
  const bound = sql.replaceAll(/\{(\w+):([^}]+)\}/g, (whole, name: string, type: string) => {
    const literal = literals.get(name);
    return literal === undefined ? whole : `CAST(${literal}, '${escapeText(type)}')`;
  });
  // The server's own bound for the text of a statement is 256 KiB.
  fields.push(`max_query_size=${bound.length * 4}`);
  return { sql: bound, query: fields.join("&") };
}

/** Lists are made of commas, and those may stand as they are. Text that is not well-formed could not be encoded at all. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("%2C", ",");
}

/**
 * A parameter as the engine reads it: text in its TSV escapes, quoted inside of an array or a tuple. The client library does the same for
 * writes but does not export it. What we never bind (dates, maps, NULL) is a bug and throws.
 */
function formatParam(value: unknown, isInside = false): string {
  if (typeof value === "string") return isInside ? `'${escapeText(value)}'` : escapeText(value);
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map((each) => formatParam(each, true)).join(",")}]`;
  if (value instanceof TupleParam) return `(${value.values.map((each) => formatParam(each, true)).join(",")})`;
  throw new TypeError(`cannot bind a parameter of type ${typeof value}`);
}

const ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "'": "\\'", "\\": "\\\\" };

function escapeText(text: string): string {
  return text.replace(/[\t\n\r'\\]/g, (char) => ESCAPES[char] ?? char);
}
