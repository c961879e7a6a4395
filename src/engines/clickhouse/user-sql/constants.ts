/** Names, texts and numbers in ClickHouse's SQL. */
import type { Node } from "../../user-sql/check/tree.ts";

export function quoteName(name: string): string {
  return `\`${escapeText(name).replaceAll("`", "\\`")}\``;
}

/** Braces are escaped, because `{name:Type}` is a parameter. */
export function quoteText(text: string): string {
  return `'${escapeText(text).replaceAll("'", "\\'")}'`;
}

function escapeText(text: string): string {
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll("{", "\\x7B")
    .replaceAll("}", "\\x7D")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
}

export function printConstant({ type, is_null, value }: Node): string {
  const { id, type_info } = type as { id: string; type_info: { scale: number } | null };
  if (is_null === true) return "NULL";
  if (typeof value === "string") return quoteText(value);
  if (typeof value === "boolean") return String(value);
  const digits = wholeOf(value);
  return id === "DECIMAL" ? decimal(digits, type_info?.scale ?? 0) : digits;
}

/** The digits of a number, which may have two halves or be kept as text. */
function wholeOf(value: unknown): string {
  const { upper, lower } = (typeof value === "object" ? value : {}) as { upper?: unknown; lower?: unknown };
  if (upper === undefined) return JSON.stringify(value);
  return String((BigInt(JSON.stringify(upper)) << 64n) + BigInt(JSON.stringify(lower)));
}

function decimal(digits: string, scale: number): string {
  if (scale === 0) return digits;
  const isNegative = digits.startsWith("-");
  const padded = digits.replace("-", "").padStart(scale + 1, "0");
  return `${isNegative ? "-" : ""}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}
