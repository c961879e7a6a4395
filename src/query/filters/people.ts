/** The field `events` of filters: people who have done something so often, as base64 of a JSON array of behaviours. */
import { EVENT_KIND_NAMES, NAMED_KINDS } from "../../contract/event-kinds.ts";
import { findOperatorName, type OperatorName } from "../../contract/filter-fields.ts";
import { LIMITS } from "../../contract/limits.ts";
import { PEOPLE_FIELD, PEOPLE_LIMITS, PEOPLE_PRESETS } from "../../contract/people.ts";
import { parseJson } from "../../lib/json.ts";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { dayIn, UTC } from "../../lib/time-zones.ts";
import { COUNT_ABOUT, COUNT_OPERATORS, findCountOperator, isCount, readDate } from "./behaviours.ts";
import { type Condition, type Failures, readConditionList } from "./condition.ts";
import { EVENT_TERMS } from "./event-terms.ts";
import type { Operator } from "./filter-terms.ts";

/** How often a person has done something. A person is a visitor of a project. */
export interface PersonBehaviour {
  /** Undefined: a custom or decoded event of the name. */
  readonly type: string | undefined;
  /** Undefined: every event of the type. */
  readonly event: string | undefined;
  readonly op: Operator;
  readonly times: number;
  /** True if a person without any such event meets it. */
  readonly allowsNone: boolean;
  /** Days, both included; undefined: no limit. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Beside the days: events after the first moment, up to the second. */
  readonly between?: readonly [fromMs: number, toMs: number];
  /** On the event. */
  readonly conditions: readonly Condition[];
}

function isAboutPeople(item: unknown): item is Readonly<Record<string, unknown>> {
  return typeof item === "object" && item !== null && (item as { field?: unknown }).field === PEOPLE_FIELD;
}

/** When it is asked, and the zone whose days are meant. Absent: UTC. */
export interface Now {
  readonly nowMs: number;
  readonly zone?: string | undefined;
}

/** The behaviours of a list of conditions, of which the others are read elsewhere. */
export function readPeople(list: readonly unknown[], path: string, failures: Failures, now: Now) {
  const found = list.flatMap((item, index) =>
    isAboutPeople(item) ? readCondition(item, `${path}.${index}`, failures, now) : [],
  );
  if (found.length > PEOPLE_LIMITS.behaviours)
    failures.set(path, `must have at most ${PEOPLE_LIMITS.behaviours} behaviours of people`);
  return found;
}

function readCondition(
  { op, value, filters }: Readonly<Record<string, unknown>>,
  path: string,
  failures: Failures,
  now: Now,
): PersonBehaviour[] {
  if (op !== "eq" && op !== "equals") failures.set(`${path}.op`, `must be eq on ${PEOPLE_FIELD}`);
  if (filters !== undefined) failures.set(`${path}.filters`, "is not allowed here: each behaviour may have its own");
  const list = decode(value);
  const { behaviours } = PEOPLE_LIMITS;
  if (typeof list === "string") failures.set(`${path}.value`, list);
  else if (list.length === 0 || list.length > behaviours)
    failures.set(`${path}.value`, `must hold 1 to ${behaviours} behaviours`);
  else return list.flatMap((item, at) => readBehaviour(item, `${path}.value.${at}`, failures, now) ?? []);
  return [];
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** A text of 12 KiB cannot hold more. */
const JSON_LIMITS = { depth: LIMITS.jsonDepth, values: PEOPLE_LIMITS.chars, names: PEOPLE_LIMITS.chars };
const ENCODED = "must be the base64 text of a JSON array of behaviours";

/** The array, or why there is none. */
function decode(value: unknown): unknown[] | string {
  if (value === undefined || value === null) return "is required";
  if (typeof value !== "string") return ENCODED;
  if (value.length > PEOPLE_LIMITS.chars) return `must have at most ${PEOPLE_LIMITS.chars} characters`;
  if (!BASE64.test(value)) return `${ENCODED}: it is not base64`;
  const parsed = parseJson(Buffer.from(value, "base64"), JSON_LIMITS);
  if (!parsed.ok) return `${ENCODED}: it ${parsed.why}`;
  return Array.isArray(parsed.value) ? parsed.value : ENCODED;
}

const KEYS = ["event", "event_type", "operator", "times", "preset", "date_from", "date_to", "filters"];

function readBehaviour(item: unknown, path: string, failures: Failures, now: Now): PersonBehaviour | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) {
    failures.set(path, "must be an object with event, operator and times");
    return undefined;
  }
  const given = item as Readonly<Record<string, unknown>>;
  const before = failures.size;
  for (const key of Object.keys(given))
    if (!KEYS.includes(key)) failures.set(`${path}.${key}`, `is unknown: a behaviour has ${KEYS.join(", ")}`);
  const events = readEvents(given, path, failures);
  const op = findCountOperator(given.operator);
  if (op === undefined) failures.set(`${path}.operator`, `must be one of ${COUNT_OPERATORS.join(", ")}`);
  if (!isCount(given.times)) failures.set(`${path}.times`, COUNT_ABOUT);
  const time = readTime(given, path, failures, now);
  const conditions = readEventFilters(given.filters ?? [], `${path}.filters`, failures);
  if (failures.size > before || op === undefined || events === undefined || time === undefined) return undefined;
  const times = Number(given.times);
  return { ...events, ...time, op, times, allowsNone: allowsNone(String(given.operator), times), conditions };
}

type Events = Pick<PersonBehaviour, "type" | "event">;

/** A type of events, or the name of a custom or decoded one. With `event_type` a name may be that of a type. */
function readEvents(given: Readonly<Record<string, unknown>>, path: string, failures: Failures): Events | undefined {
  const { event = "", event_type } = given;
  const isKind = (name: unknown): name is string => (EVENT_KIND_NAMES as readonly unknown[]).includes(name);
  if (typeof event !== "string" || event.length > 512 || !event.isWellFormed()) {
    failures.set(`${path}.event`, "must be a text of at most 512 characters");
    return undefined;
  }
  if (event_type === undefined || event_type === "") {
    if (event === "") failures.set(`${path}.event`, "is required");
    return isKind(event) ? { type: event, event: undefined } : { type: undefined, event };
  }
  if (!isKind(event_type)) {
    failures.set(`${path}.event_type`, `must be one of ${EVENT_KIND_NAMES.join(", ")}`);
    return undefined;
  }
  if (NAMED_KINDS.includes(event_type)) return { type: event_type, event: event === "" ? undefined : event };
  if (event !== "" && event !== event_type)
    failures.set(`${path}.event`, `must be empty or ${event_type}: events of this type have no names`);
  return { type: event_type, event: undefined };
}

type Time = Pick<PersonBehaviour, "from" | "to" | "between">;

function readTime(
  { preset, date_from, date_to }: Readonly<Record<string, unknown>>,
  path: string,
  failures: Failures,
  now: Now,
): Time | undefined {
  const from = readDate(date_from, `${path}.date_from`, failures);
  const to = readDate(date_to, `${path}.date_to`, failures);
  const hasDates = from !== undefined || to !== undefined;
  const name = preset === undefined || preset === "" ? (hasDates ? "custom" : "all_time") : preset;
  if (typeof name !== "string" || !Object.hasOwn(PEOPLE_PRESETS, name)) {
    failures.set(`${path}.preset`, `must be one of ${Object.keys(PEOPLE_PRESETS).join(", ")}`);
    return undefined;
  }
  if (name !== "custom" && hasDates) failures.set(`${path}.preset`, "must be custom, or absent, beside dates");
  if (name === "custom" && !hasDates) failures.set(`${path}.date_from`, "is required with custom, or date_to is");
  if (from !== undefined && to !== undefined && from > to)
    failures.set(`${path}.date_from`, "must not be after date_to");
  const span = PEOPLE_PRESETS[name as keyof typeof PEOPLE_PRESETS];
  if (span === null) return { from, to };
  const { nowMs, zone = UTC } = now;
  const today = dayIn(zone, nowMs);
  if ("days" in span) return { from: dayOf(Date.parse(today) - (span.days - 1) * DAY_MS), to: today };
  const sinceMs = nowMs - (span.hours * DAY_MS) / 24;
  return { from: dayIn(zone, sinceMs), to: today, between: [sinceMs, nowMs] };
}

function readEventFilters(filters: unknown, path: string, failures: Failures): Condition[] {
  if (Array.isArray(filters) && filters.length > PEOPLE_LIMITS.filters) {
    failures.set(path, `must have at most ${PEOPLE_LIMITS.filters} conditions`);
    return [];
  }
  return readConditionList(filters, path, failures, EVENT_TERMS);
}

/** Whether a count of none meets the operator. */
const NONE_MEETS: Partial<Record<OperatorName, (times: number) => boolean>> = {
  equals: (times) => times === 0,
  notEquals: (times) => times > 0,
  less: (times) => times > 0,
  lessOrEqual: () => true,
  greaterOrEqual: (times) => times === 0,
};

function allowsNone(operator: string, times: number): boolean {
  const name = findOperatorName(operator);
  return (name === undefined ? undefined : NONE_MEETS[name])?.(times) ?? false;
}
