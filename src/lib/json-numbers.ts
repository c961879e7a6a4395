/**
 * JSON numbers that a double cannot hold, such as an amount of 30 digits or 1e400. They are read as the double that
 * JSON.parse makes of them and written as they were received. Only texts that may contain one pay for it (checking 1 KB
 * takes 0.4 us). Written by hand: lossless parsers from npm make an object of every number and take 10 times as long.
 */
const originals = new WeakMap<object, Map<string, string>>();

/** 16 or more digits, or an exponent of three digits. A match inside a string costs one slow read. */
const SUSPECT = /[[:,]\s*-?(?:\d{16}|\d+\.\d{15}|\d[\d.]*[eE][+-]?\d{3})/;
const LONG = /\d{16}|\.\d{15}/;

/** The runtime has `rawJSON`, but TypeScript's own types do not yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };
type Reviver = (this: object, name: string, value: unknown) => unknown;

export function parseKeepingNumbers(text: string): unknown {
  return SUSPECT.test(text) ? JSON.parse(text, remember as Reviver) : JSON.parse(text);
}

export function stringifyKeepingNumbers(value: object): string {
  return originals.has(value) ? JSON.stringify(value, recall) : JSON.stringify(value);
}

/** `copy` has fields of `original` under the same names. */
export function keepNumbersOf(original: object, copy: object): void {
  const kept = originals.get(original);
  if (kept !== undefined) originals.set(copy, kept);
}

function remember(this: object, name: string, value: unknown, { source }: { source?: string }): unknown {
  const lost = typeof value === "number" && source !== undefined && (!Number.isFinite(value) || LONG.test(source));
  // An object that contains a remembered value is remembered, too, up to the root.
  if (lost) keptOf(this).set(name, source);
  else if (typeof value === "object" && value !== null && originals.has(value)) keptOf(this);
  return value;
}

function recall(this: object, name: string, value: unknown): unknown {
  const source = originals.get(this)?.get(name);
  return source === undefined ? value : rawJSON(source);
}

function keptOf(holder: object): Map<string, string> {
  let kept = originals.get(holder);
  if (kept === undefined) {
    kept = new Map();
    originals.set(holder, kept);
  }
  return kept;
}
