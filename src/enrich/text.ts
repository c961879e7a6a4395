import { createHash } from "node:crypto";

/** A JSON object of unknown content, as clients send it. */
export type Fields = Readonly<Record<string, unknown>>;

/** Longest text stored in a column, in UTF-16 units. The full text stays in `context`, `properties` or `extra`. */
export const LIMIT = { id: 512, url: 4096, text: 1024, tag: 512, short: 128 } as const;

/** Scalars as text, everything else as the empty string: an object in place of a string is noise, not an error. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  return typeof value === "boolean" ? String(value) : "";
}

/** Text for a column that people read and group by: trimmed, bounded, without NUL, valid UTF-16. */
export function columnText(value: unknown, limit: number): string {
  if (value === undefined || value === "") return "";
  let text = textOf(value);
  // Cuts before trimming, because trimming must not scan a megabyte of blanks.
  if (text.length > limit) text = cut(text.length > limit * 4 ? text.slice(0, limit * 4).trim() : text.trim(), limit);
  else text = text.trim();
  if (text.includes("\0")) text = text.replaceAll("\0", "");
  return wellFormed(text);
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? limit - 1 : limit);
}

/** ClickHouse refuses a whole insert over one lone surrogate (`missing second part of surrogate pair`). */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/**
 * Text that identifies something. It is never cut: two ids with a long common prefix would become one, and an event or
 * a person would be missing from the counts. An id that is too long is replaced by its digest.
 */
export function identifierText(value: unknown): string {
  const text = textOf(value);
  if (text.length <= LIMIT.id) return wellFormed(text);
  return `sha256:${createHash("sha256").update(wellFormed(text)).digest("hex")}`;
}
