/**
 * Takes a body whose events are all valid, in one pass over its bytes: 3.8 us an event instead of 9.0 for measuring,
 * parsing and checking it. A body with anything else (a problem, JSON that the pass does not understand) is left to
 * `takeEvents`, which finds the same in such a body.
 */
import { isUtf8 } from "node:buffer";
import { LIMITS } from "../contract/limits.ts";
import type { Wanted } from "../lib/json-names.ts";
import { createJsonScan, FOUND_WORDS, KIND } from "../lib/json-scan.ts";
import { DAY_MS, findTimeIn } from "../lib/time.ts";
import { isObjectText, LABEL_CHARS } from "./check-event.ts";
import { addKey, type KeySeed } from "./message-key.ts";
import type { EventResult, Taken, TakeRules } from "./take-events.ts";

/** How a field is checked; a field of `raw` events may be missing or null unless it is among the first four. */
const FIELDS = [
  ["channel", "label"],
  ["type", "label"],
  ["anonymous_id", "text"],
  ["version", "text"],
  ["user_id", "optional"],
  ["address", "optional"],
  ["event", "optional"],
  ["message_id", "id"],
  ["original_timestamp", "time"],
  ["sent_at", "time"],
  ["context", "object"],
  ["properties", "object"],
] as const;

const WANTED: Wanted = new Map(FIELDS.map(([name], slot) => [name, { slot }]));
const CHECKS = FIELDS.map(([, check]) => check);
const ID = FIELDS.findIndex(([name]) => name === "message_id");
const ORIGINAL_TIME = FIELDS.findIndex(([name]) => name === "original_timestamp");
/** A bit for each field that has to be there. */
const REQUIRED = { raw: 0b1111, tracked: 2 ** FIELDS.length - 1 } as const;

const scan = createJsonScan(WANTED, LIMITS.jsonDepth);
/** For the text of an object in an event: the depth of both counts for itself. */
const textScan = createJsonScan(new Map(), LIMITS.jsonDepth);

export function takeClean(body: Buffer, { rules, lines, detail, seed }: TakeRules): Taken | undefined {
  if (lines || !isUtf8(body)) return undefined;
  const keys: number[] = [];
  const results: (EventResult & { key?: number })[] = [];
  let accepted = 0;
  scan.open(body);
  for (let next = scan.next(); next !== "end"; next = scan.next()) {
    if (next === "unclear" || scan.end - scan.start > LIMITS.eventBytes) return undefined;
    const key = keys.length;
    if (!addKeyIfClean(body, rules === "tracked", seed, keys)) return undefined;
    if (detail) results.push({ index: accepted, status: "accepted", ...(keys.length > key ? { key } : {}) });
    accepted += 1;
  }
  if (accepted > LIMITS.eventsPerRequest || scan.values > LIMITS.eventsValues) return undefined;
  const batch = scan.isList;
  return { kind: "events", batch, clean: true, accepted, parked: 0, keys, results: detail ? results : undefined };
}

/** False if the event that was scanned last is not valid. Adds its dedupe key, if it has an id. */
function addKeyIfClean(body: Buffer, isStrict: boolean, seed: KeySeed, keys: number[]): boolean {
  const { found, count } = scan;
  let seen = 0;
  let idKind = -1;
  let idStart = 0;
  let idEnd = 0;
  let timeMs = 0;
  for (let at = 0; at < count * FOUND_WORDS; at += FOUND_WORDS) {
    const slot = found[at] as number;
    const kind = found[at + 1] as number;
    const start = found[at + 2] as number;
    const end = found[at + 3] as number;
    seen |= 1 << slot;
    if (kind === KIND.null && slot > 3 && (!isStrict || CHECKS[slot] === "optional")) continue;
    if (CHECKS[slot] === "time") {
      const time = kind === KIND.text ? findTimeIn(body, start + 1, end - 1) : undefined;
      if (time === undefined) return false;
      if (slot === ORIGINAL_TIME) timeMs = time;
    } else if (!isValid(body, slot, kind, start, end)) return false;
    else if (slot === ID) {
      idKind = kind;
      idStart = start;
      idEnd = end;
    }
  }
  const required = isStrict ? REQUIRED.tracked : REQUIRED.raw;
  if ((seen & required) !== required) return false;
  const isEmpty = idEnd - idStart <= 2;
  if (isEmpty) return !isStrict;
  const day = Math.floor(timeMs / DAY_MS);
  if (idKind !== KIND.escaped) {
    addKey(keys, seed, day, body, idStart + 1, idEnd - 1);
  } else {
    const id = Buffer.from(textAt(body, idKind, idStart, idEnd));
    addKey(keys, seed, day, id, 0, id.length);
  }
  return true;
}

function isValid(body: Buffer, slot: number, kind: number, start: number, end: number): boolean {
  const isText = kind === KIND.text || kind === KIND.wide || kind === KIND.escaped;
  const check = CHECKS[slot];
  if (check === "object") return kind === KIND.object || (isText && isOfObject(textAt(body, kind, start, end)));
  if (!isText || check !== "label") return isText;
  const chars = kind === KIND.text ? end - start - 2 : textAt(body, kind, start, end).length;
  return chars > 0 && chars <= LABEL_CHARS;
}

function isOfObject(text: string): boolean {
  textScan.open(Buffer.from(text));
  return (textScan.next() === "object" && !textScan.isList && textScan.next() === "end") || isObjectText(text);
}

function textAt(body: Buffer, kind: number, start: number, end: number): string {
  if (kind === KIND.text) return body.toString("latin1", start + 1, end - 1);
  const text = body.toString("utf8", start, end);
  return kind === KIND.wide ? text.slice(1, -1) : (JSON.parse(text) as string);
}
