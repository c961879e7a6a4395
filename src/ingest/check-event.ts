import type { InvalidReason } from "../contract/event-reasons.ts";
import { LIMITS } from "../contract/limits.ts";
import { isDeeper } from "../lib/json.ts";
import { findTime } from "../lib/time.ts";

/**
 * Whether an event is accepted. Written by hand: at full load it runs 20,000 times a second on the thread that serves
 * requests, and a schema cannot check a string that must itself be JSON. `contract/events.ts` documents the same rules,
 * and a test compares the two.
 */
export type EventRules = "tracked" | "raw";

export interface Invalid {
  why: InvalidReason;
  /** Field -> its problem; the empty field name means the event itself. */
  failures: Record<string, string>;
}

export const LABEL_CHARS = 64;

export function findProblem(event: unknown, rules: EventRules): Invalid | undefined {
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    return { why: "not_an_object", failures: { "": "must be a JSON object" } };
  }
  const fields = event as Record<string, unknown>;
  const strict = rules === "tracked";
  let failures: Record<string, string> | undefined;
  const fail = (field: string, message: string) => {
    failures ??= {};
    failures[field] = message;
  };
  for (const field of ["channel", "type"]) checkLabel(fields[field], field, fail);
  for (const field of ["anonymous_id", "version"]) {
    if (typeof fields[field] !== "string")
      fail(field, fields[field] === undefined ? "is required" : "must be a string");
  }
  for (const field of ["user_id", "address", "event"]) checkOptionalText(fields[field], field, strict, fail);
  checkMessageId(fields.message_id, strict, fail);
  for (const field of ["original_timestamp", "sent_at"]) checkTime(fields[field], field, strict, fail);
  const deep = [
    checkObject(fields.context, "context", strict, fail),
    checkObject(fields.properties, "properties", strict, fail),
  ];
  if (failures !== undefined) return { why: deep.includes("too_deep") ? "too_deep" : "invalid_fields", failures };
  return undefined;
}

type Fail = (field: string, message: string) => void;

function checkLabel(value: unknown, field: string, fail: Fail): void {
  if (value === undefined) fail(field, "is required");
  else if (typeof value !== "string") fail(field, "must be a string");
  else if (value.length === 0) fail(field, "must not be empty");
  else if (value.length > LABEL_CHARS) fail(field, `must have at most ${LABEL_CHARS} characters`);
}

function checkOptionalText(value: unknown, field: string, strict: boolean, fail: Fail): void {
  if (value === undefined ? strict : value !== null && typeof value !== "string") {
    fail(field, value === undefined ? "is required" : "must be a string or null");
  }
}

function checkMessageId(value: unknown, strict: boolean, fail: Fail): void {
  if (value === undefined || value === null) {
    if (strict) fail("message_id", "is required");
  } else if (typeof value !== "string") fail("message_id", "must be a string");
  else if (value === "" && strict) fail("message_id", "must not be empty");
}

function checkTime(value: unknown, field: string, strict: boolean, fail: Fail): void {
  if (value === undefined || value === null) {
    if (strict) fail(field, "is required");
  } else if (findTime(value) === undefined) fail(field, "must be an RFC 3339 time such as 2026-01-31T12:00:00.000Z");
}

/** A JSON object, or the text of one. */
function checkObject(value: unknown, field: string, strict: boolean, fail: Fail): "too_deep" | undefined {
  if (value === undefined || value === null) {
    if (strict) fail(field, value === null ? "must be a JSON object or the text of one" : "is required");
    return undefined;
  }
  if (typeof value === "object" && !Array.isArray(value)) return undefined;
  if (typeof value !== "string") {
    fail(field, "must be a JSON object or the text of one");
    return undefined;
  }
  const problem = findTextProblem(value);
  if (problem === undefined) return undefined;
  fail(field, problem);
  return problem === TOO_DEEP ? "too_deep" : undefined;
}

const TOO_DEEP = `is nested deeper than ${LIMITS.jsonDepth} levels`;

/** Why a text is not that of a JSON object. */
function findTextProblem(text: string): string | undefined {
  if (isDeeper(text, LIMITS.jsonDepth)) return TOO_DEEP;
  try {
    const parsed: unknown = JSON.parse(text);
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    return isObject ? undefined : "must be the text of a JSON object";
  } catch {
    return "is not valid JSON";
  }
}

export function isObjectText(text: string): boolean {
  return findTextProblem(text) === undefined;
}
