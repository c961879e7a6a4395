/** Limits of a JSON text: nesting depth, number of values, and number of different member names. */
export interface JsonLimits {
  depth: number;
  values: number;
  names: number;
}

/** A shorter text is parsed in about a millisecond, whatever its content, so its names are not counted. */
const SMALL_CHARS = 32 * 1024;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * The reason why a text is not parsed, or undefined. One pass over it before parsing: 1 MiB of `{},` took 80 ms of CPU
 * to parse and discard, and 80,000 different names 160 ms, because V8 makes a new object shape for each.
 */
export function findExcess(text: string, limits: JsonLimits): string | undefined {
  const isSmall = text.length < SMALL_CHARS;
  const names = new Set<string>();
  let depth = 0;
  let values = 1;
  let string = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      string = i;
      i = endOfString(text, i);
    } else if (code === COLON && !isSmall) {
      names.add(text.slice(string + 1, endOfString(text, string)));
      if (names.size > limits.names) return `has more than ${limits.names} different names`;
    } else if (code === COMMA) {
      values += 1;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      values += 1;
      if (depth > limits.depth) return `is nested deeper than ${limits.depth} levels`;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
    if (values > limits.values) return `has more than ${limits.values} values`;
  }
  return undefined;
}

/** The index of the quote that closes the string opened at `start`, or the length of the text. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === 0x5c) escapes += 1;
    if (escapes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}
