import { TupleParam } from "@clickhouse/client";

/** A tuple among the parameters; an array would be an Array to the engine. */
export function tuple(...values: readonly (string | number)[]): unknown {
  return new TupleParam(values);
}

/**
 * A parameter as the engine reads it: text in its TSV escapes, quoted inside of an array or a tuple. The client library does the same for
 * writes but does not export it. What we never bind (dates, maps, NULL) is a bug and throws.
 */
export function formatParam(value: unknown, isInside = false): string {
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
