import type { BodyReason } from "../contract/event-reasons.ts";
import { LIMITS } from "../contract/limits.ts";
import { depthOf, isDeeper, isNestedDeeper } from "../lib/json.ts";
import { parseKeepingNumbers } from "../lib/json-numbers.ts";
import { type EventRules, findProblem, type Invalid } from "./check-event.ts";

/** One event of a request, or the reason why it is not one. */
export interface Item {
  /** Undefined if the JSON could not be parsed. */
  event: Record<string, unknown> | undefined;
  invalid: Invalid | undefined;
  /** The text of an item that is not an event, to be parked. */
  raw?: string;
}

/** The writer keeps the numbers of an event as received (parseKeepingNumbers); the acceptor only checks the event. */
type Parse = (text: string) => unknown;

export type ReadBody =
  | { kind: "events"; batch: boolean; lines: boolean; items: Item[] }
  | {
      kind: "refused";
      why: BodyReason;
      message: string;
      /** The number of refused events, if known. */
      count?: number;
    };

/** Far above the depth of an event, far below what could harm the parser: a deeper body is not parsed. */
export const BODY_DEPTH = 1_000;
/**
 * Nesting in a body of this size is harmless, so it is parsed first: checking the values costs 0.2 us an event,
 * checking the text 1.3 us.
 */
const PARSE_FIRST_BYTES = 1024 * 1024;

const TOO_DEEP: Invalid = {
  why: "too_deep",
  failures: { "": `is nested deeper than ${LIMITS.jsonDepth} levels` },
};
export const TOO_LARGE: Invalid = {
  why: "too_large",
  failures: { "": `is larger than ${LIMITS.eventBytes / 1024} KiB` },
};

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The events of a body: one JSON object, a JSON array, or JSON lines. The acceptor and later the writer read a body
 * with this function (or readCleanBody), so an index always means the same event to both.
 */
export function readBody(body: Uint8Array, rules: EventRules, lines: boolean, parse: Parse = JSON.parse): ReadBody {
  if (body.length === 0)
    return {
      kind: "refused",
      why: "empty",
      message: "The body is empty; send an event, an array of events or JSON lines",
    };
  let text: string;
  try {
    text = decoder.decode(body);
  } catch {
    return { kind: "refused", why: "bad_utf8", message: "The body is not valid UTF-8" };
  }
  if (lines) return readLines(text, rules, parse);
  const isLarge = body.length > PARSE_FIRST_BYTES;
  if (isLarge && isDeeper(text, BODY_DEPTH)) return tooDeep(text, rules, parse);
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    if (!isLarge && isDeeper(text, BODY_DEPTH)) return tooDeep(text, rules, parse);
    if (startsLikeLines(text)) return readLines(text, rules, parse);
    const at = /position (\d+)/.exec((cause as Error).message)?.[1];
    return {
      kind: "refused",
      why: "bad_json",
      message: `The body is not valid JSON${at === undefined ? "" : ` (at character ${at})`}`,
    };
  }
  // Only a body that could contain a deep or a large event is checked a second time.
  const deep = isNestedDeeper(value, LIMITS.jsonDepth + (Array.isArray(value) ? 1 : 0));
  if (deep && isDeeper(text, BODY_DEPTH)) return tooDeep(text, rules, parse);
  const large = body.length > LIMITS.eventBytes;
  if (!Array.isArray(value))
    return { kind: "events", batch: false, lines: false, items: [toItem(value, rules, deep, large)] };
  if (value.length === 0) return { kind: "refused", why: "no_events", message: "The array holds no event" };
  if (value.length > LIMITS.eventsPerRequest) return tooMany(value.length);
  return { kind: "events", batch: true, lines: false, items: value.map((event) => toItem(event, rules, deep, large)) };
}

/** The events of a body that was found clean before: no rule is checked again. */
export function readCleanBody(body: Uint8Array): Item[] {
  // The same decoder as above: it drops a byte order mark, which a Buffer's own toString keeps.
  const value = parseKeepingNumbers(decoder.decode(body)) as Record<string, unknown> | Record<string, unknown>[];
  return (Array.isArray(value) ? value : [value]).map((event) => ({ event, invalid: undefined }));
}

function tooDeep(text: string, rules: EventRules, parse: Parse): ReadBody {
  // Unclosed brackets of broken lines would add up, so the depth is checked for each line.
  if (startsLikeLines(text)) return readLines(text, rules, parse);
  return { kind: "refused", why: "too_deep", message: `The body is nested deeper than ${LIMITS.jsonDepth} levels` };
}

export function tooMany(count: number): ReadBody {
  return {
    kind: "refused",
    why: "too_many",
    count,
    message: `The request holds ${count} events; at most ${LIMITS.eventsPerRequest} are taken at once`,
  };
}

/** Several lines of which the first is a complete object: JSON lines under another content type. */
function startsLikeLines(text: string): boolean {
  const end = text.indexOf("\n");
  if (end === -1) return false;
  try {
    const first: unknown = JSON.parse(text.slice(0, end));
    return typeof first === "object" && first !== null && !Array.isArray(first);
  } catch {
    return false;
  }
}

function readLines(text: string, rules: EventRules, parse: Parse): ReadBody {
  // Counted before they are split: 10 MiB of `{}` lines are 3,500,000 texts.
  const count = countLines(text);
  if (count > LIMITS.eventsPerRequest) return tooMany(count);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return { kind: "refused", why: "no_events", message: "The body holds no event" };
  return { kind: "events", batch: true, lines: true, items: lines.map((line) => readEvent(line, rules, parse)) };
}

/** Lines that contain more than spaces. */
function countLines(text: string): number {
  let count = 0;
  let isBlank = true;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 0x0a) isBlank = true;
    else if (isBlank && code !== 0x20 && (code < 0x09 || code > 0x0d)) {
      isBlank = false;
      count += 1;
    }
  }
  return count;
}

/** Reads one event from its text and applies every check of acceptance. */
export function readEvent(text: string, rules: EventRules, parse: Parse = parseKeepingNumbers): Item {
  const depth = depthOf(text, BODY_DEPTH);
  if (depth > BODY_DEPTH) return { event: undefined, invalid: TOO_DEEP, raw: text };
  try {
    return toItem(parse(text), rules, depth > LIMITS.jsonDepth, text.length * 3 > LIMITS.eventBytes);
  } catch {
    return { event: undefined, invalid: { why: "bad_json", failures: { "": "is not valid JSON" } }, raw: text };
  }
}

function toItem(value: unknown, rules: EventRules, maybeDeep: boolean, maybeLarge: boolean): Item {
  const invalid = findProblem(value, rules) ?? findExcess(value, maybeDeep, maybeLarge);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject) return { event: undefined, invalid, raw: JSON.stringify(value) };
  return { event: value as Record<string, unknown>, invalid };
}

function findExcess(value: unknown, maybeDeep: boolean, maybeLarge: boolean): Invalid | undefined {
  if (!maybeDeep && !maybeLarge) return undefined;
  const text = JSON.stringify(value);
  if (maybeLarge && Buffer.byteLength(text) > LIMITS.eventBytes) return TOO_LARGE;
  return maybeDeep && isDeeper(text, LIMITS.jsonDepth) ? TOO_DEEP : undefined;
}
