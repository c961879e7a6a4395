import { endOfString, findExcess, type JsonLimits } from "./json-limits.ts";

/** The parsed value, or the reason why the text is rejected. */
export type Parsed = { ok: true; value: unknown } | { ok: false; why: string };

/** Strict UTF-8: replacing a byte silently would change the client's data. */
const decoder = new TextDecoder("utf-8", { fatal: true });

export function parseJson(bytes: Uint8Array, limits: JsonLimits): Parsed {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { ok: false, why: "is not valid UTF-8" };
  }
  const excess = findExcess(text, limits);
  if (excess !== undefined) return { ok: false, why: excess };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (cause) {
    // Some V8 messages quote a part of the text. Only the position helps, and only the position is safe to repeat.
    const at = /position (\d+)/.exec((cause as Error).message)?.[1];
    return { ok: false, why: `is not valid JSON${at === undefined ? "" : ` (at character ${at})`}` };
  }
}

export function isDeeper(text: string, maxDepth: number): boolean {
  return depthOf(text, maxDepth) > maxDepth;
}

/**
 * The nesting depth of a JSON text, up to one more than `enough`. Counts brackets outside of strings before anything is
 * built: a body of 10,000 brackets costs one pass over its text.
 */
export function depthOf(text: string, enough: number): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      i = endOfString(text, i);
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (depth > enough) return depth;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return deepest;
}

/** Whether a parsed value is nested in more than `levels` levels. Recurses no deeper than that. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((inner) => isNestedDeeper(inner, levels - 1));
  // Parsed objects inherit no enumerable keys, and Object.values would allocate an array for each object.
  for (const name in value) {
    const inner = (value as Record<string, unknown>)[name];
    if (typeof inner === "object" && isNestedDeeper(inner, levels - 1)) return true;
  }
  return false;
}
