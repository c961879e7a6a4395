/**
 * Turns the text of a body into accepted, parked and refused events. Runs on the main thread for small bodies and on
 * its own thread for large ones.
 */
import type { ApiErrorOptions, ErrorCode } from "../contract/errors.ts";
import type { RefusedReason } from "../contract/event-reasons.ts";
import { LIMITS } from "../contract/limits.ts";
import { DAY_MS, findTime } from "../lib/time.ts";
import type { EventRules, Invalid } from "./check-event.ts";
import { type Measure, measureBody } from "./measure-body.ts";
import { addKey, type KeySeed } from "./message-key.ts";
import { BODY_DEPTH, type Item, type ReadBody, readBody, TOO_LARGE, tooMany } from "./read-body.ts";

export interface TakeRules {
  rules: EventRules;
  /** The content type says JSON lines. */
  lines: boolean;
  /** List the outcome of each event. */
  detail: boolean;
  /** Of the keys of the project's events. */
  seed: KeySeed;
}

export interface EventResult {
  index: number;
  status: "accepted" | "duplicate" | "parked";
  reason?: string;
  details?: Record<string, string>;
}

/**
 * The parts of a body that are kept after reading. Parsed events are not kept: while a full load waited for the disk
 * they held 60 MB of memory, and every garbage collection moved them. All parts can move between threads.
 */
export type Taken =
  | { kind: "refused"; why: RefusedReason; count: number; failure: Failure }
  | {
      kind: "events";
      batch: boolean;
      /** One JSON document in which every event is valid. */
      clean: boolean;
      accepted: number;
      parked: number;
      /** Two numbers for each accepted event that has an id: see message-key.ts. */
      keys: number[];
      /** Only if the client asks for details. An event with an id has the place of its key. */
      results: (EventResult & { key?: number })[] | undefined;
    };

/** The arguments of an ApiError. */
interface Failure {
  code: ErrorCode;
  message: string;
  options: ApiErrorOptions;
}

/** A body up to this size is parsed without measuring it: parsing takes some milliseconds at most. */
const MEASURE_ABOVE_BYTES = 64 * 1024;
/** A value takes at least a digit and a comma. */
const MOST_VALUES_OF_EVENT = LIMITS.eventBytes / 2;

/** The measure of a body that could exceed the limits of a request; undefined for a small one. */
export function measureLarge(body: Uint8Array, lines: boolean): Measure | undefined {
  return body.length > MEASURE_ABOVE_BYTES ? measureBody(body, lines) : undefined;
}

export function takeEvents(
  body: Uint8Array,
  measure: Measure | undefined,
  { rules, lines, detail, seed }: TakeRules,
): Taken {
  const read = (measure && refuseUnparsed(measure)) ?? readBody(body, rules, lines);
  if (read.kind === "refused") {
    const { why, message, count = 1 } = read;
    const status = why === "too_many" ? { status: 413 } : {};
    return {
      kind: "refused",
      why,
      count,
      failure: { code: "BAD_REQUEST", message, options: { param: "body", ...status } },
    };
  }
  const { items, batch } = read;
  const keys: number[] = [];
  const results: (EventResult & { key?: number })[] = [];
  let parked = 0;
  items.forEach(({ event, invalid }, index) => {
    if (invalid !== undefined) {
      parked += 1;
      if (detail) results.push({ index, status: "parked", reason: invalid.why, details: invalid.failures });
      return;
    }
    const key = keys.length;
    addKeyOf(keys, seed, event);
    if (detail) results.push({ index, status: "accepted", ...(keys.length > key ? { key } : {}) });
  });
  if (parked === items.length) {
    const why = items[0]?.invalid?.why ?? "invalid_fields";
    return { kind: "refused", why, count: parked, failure: refusal(items, batch) };
  }
  const clean = parked === 0 && !read.lines;
  const accepted = items.length - parked;
  return { kind: "events", batch, clean, accepted, parked, keys, results: detail ? results : undefined };
}

/** A body that is refused as a whole before it is parsed: 10 MiB of `{},` take 1.5 s and 300 MB to parse. */
function refuseUnparsed({ isOne, events, values, depth }: Measure): ReadBody | undefined {
  // readBody refuses a body this deep, and does not parse it either.
  if (depth > BODY_DEPTH) return undefined;
  if (isOne && values > MOST_VALUES_OF_EVENT) {
    return { kind: "events", batch: false, lines: false, items: [{ event: undefined, invalid: TOO_LARGE }] };
  }
  if (events > LIMITS.eventsPerRequest) return tooMany(events);
  if (values <= LIMITS.eventsValues) return undefined;
  const message = `The request holds ${values} values; at most ${LIMITS.eventsValues} are taken at once`;
  return { kind: "refused", why: "too_many", count: events, message };
}

/** Adds the dedupe key of an event, if it has an id. */
function addKeyOf(keys: number[], seed: KeySeed, event: Item["event"]): void {
  const id = event?.message_id;
  if (typeof id !== "string" || id === "") return;
  const bytes = Buffer.from(id);
  addKey(keys, seed, Math.floor((findTime(event?.original_timestamp) ?? 0) / DAY_MS), bytes, 0, bytes.length);
}

function refusal(items: readonly Item[], batch: boolean): Failure {
  const details: Record<string, string> = {};
  let total = 0;
  items.forEach((item, index) => {
    for (const [path, message] of failuresOf(item.invalid, batch ? `body.${index}` : "body")) {
      total += 1;
      if (total <= LIMITS.validationFailures) details[path] = message;
    }
  });
  const [first] = Object.entries(details);
  const only = items[0]?.invalid?.why;
  const more = total > 1 ? ` (and ${total - 1} more, see details)` : "";
  const what = batch ? "No event of the batch is valid" : "The event is not valid";
  return {
    code: "INVALID_VALIDATION_REQUEST",
    message: `${what}: ${first?.[0]} ${first?.[1]}${more}`,
    options: {
      details,
      ...(first ? { param: first[0] } : {}),
      ...(!batch && only === "too_large" ? { status: 413 } : {}),
    },
  };
}

function failuresOf(invalid: Invalid | undefined, base: string): [string, string][] {
  return Object.entries(invalid?.failures ?? {}).map(([field, message]) => [
    field === "" ? base : `${base}.${field}`,
    message,
  ]);
}
