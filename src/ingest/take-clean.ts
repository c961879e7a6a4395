/**
 * Takes a body whose events are all valid, in one pass over its bytes: 3.8 us an event instead of 9.0 for measuring,
 * parsing and checking it. A body with anything else (a problem, JSON that the pass does not understand) is left to
 * `takeEvents`, which finds the same in such a body.
 */
import { isUtf8 } from "node:buffer";
import { LIMITS } from "../contract/limits.ts";
import type { Wanted } from "../lib/json-names.ts";
import { createJsonScan, FOUND_WORDS, KIND } from "../lib/json-scan.ts";
import { DAY_MS, findTime } from "../lib/time.ts";
import { isObjectText, LABEL_CHARS } from "./check-event.ts";
import type { MessageKey, Taken, TakeRules } from "./take-events.ts";

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

export function takeClean(body: Buffer, { rules, lines, detail }: TakeRules): Taken | undefined {
  if (lines || !isUtf8(body)) return undefined;
  const ids: MessageKey[] = [];
  const keys: (MessageKey | undefined)[] = [];
  let accepted = 0;
  scan.open(body);
  for (let next = scan.next(); next !== "end"; next = scan.next()) {
    if (next === "unclear" || scan.end - scan.start > LIMITS.eventBytes) return undefined;
    const key = findKey(body, rules === "tracked");
    if (key === "unclean") return undefined;
    accepted += 1;
    if (key !== undefined) ids.push(key);
    if (detail) keys.push(key);
  }
  if (accepted > LIMITS.eventsPerRequest || scan.values > LIMITS.eventsValues) return undefined;
  const results = detail
    ? keys.map((key, index) => ({ index, status: "accepted" as const, ...(key === undefined ? {} : { key }) }))
    : undefined;
  return { kind: "events", batch: scan.isList, clean: true, accepted, parked: 0, ids, results };
}

/** The dedupe key of the event that was scanned last, if it has an id. */
function findKey(body: Buffer, isStrict: boolean): MessageKey | "unclean" | undefined {
  const { found, count } = scan;
  let seen = 0;
  let id = "";
  let timeMs = 0;
  for (let at = 0; at < count * FOUND_WORDS; at += FOUND_WORDS) {
    const slot = found[at] as number;
    const kind = found[at + 1] as number;
    const start = found[at + 2] as number;
    const end = found[at + 3] as number;
    seen |= 1 << slot;
    if (kind === KIND.null && slot > 3 && (!isStrict || CHECKS[slot] === "optional")) continue;
    if (CHECKS[slot] === "time") {
      const time = kind === KIND.text ? findTime(body.toString("latin1", start + 1, end - 1)) : undefined;
      if (time === undefined) return "unclean";
      if (slot === ORIGINAL_TIME) timeMs = time;
    } else if (!isValid(body, slot, kind, start, end)) return "unclean";
    else if (slot === ID) id = textAt(body, kind, start, end);
  }
  const required = isStrict ? REQUIRED.tracked : REQUIRED.raw;
  if ((seen & required) !== required || (isStrict && id === "")) return "unclean";
  return id === "" ? undefined : { id, day: Math.floor(timeMs / DAY_MS) };
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

/** A text of its own: a part of a larger one would keep all of it in memory until the disk has it. */
function textAt(body: Buffer, kind: number, start: number, end: number): string {
  if (kind === KIND.text) return body.toString("latin1", start + 1, end - 1);
  const text = body.toString("utf8", start, end);
  return kind === KIND.wide ? text.slice(1, -1) : (JSON.parse(text) as string);
}
