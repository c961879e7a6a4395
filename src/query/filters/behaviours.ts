/** The query parameter `behavior_filters`: how often a user has done something. */
import { REPORT_LIMITS } from "../../contract/analytics.ts";
import { EVENT_KIND_NAMES, NAMED_KINDS } from "../../contract/event-kinds.ts";
import { PEOPLE_LIMITS } from "../../contract/people.ts";
import { DAY_MS, findTime } from "../../lib/time.ts";
import type { Clause, Failures } from "./condition.ts";
import { isNamedEvent } from "./event-terms.ts";
import { findOperator, type Operator } from "./filter-terms.ts";
import { findJson } from "./json.ts";

export interface Behaviour {
  readonly event: string;
  /** Undefined: the type is named like the event, or the event is tracked or decoded. */
  readonly type: string | undefined;
  readonly op: Operator;
  readonly times: number;
  /** Undefined: no limit. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** How long after the user was first seen; `from` and `to` are then not used. */
  readonly withinMs: number | undefined;
}

const PATH = "query.behavior_filters";
export const COUNT_OPERATORS = ["eq", "neq", "gt", "gte", "lt", "lte"];
const LONG_OPS = ["equals", "notEquals", "greater", "greaterOrEqual", "less", "lessOrEqual"];
const UNITS: Readonly<Record<string, number>> = { hour: DAY_MS / 24, day: DAY_MS };
const LONGEST_WINDOW_MS = 3660 * DAY_MS;
const DATE = /^\d{4}-\d\d-\d\d$/;

export function readBehaviours(text: unknown, failures: Failures): Behaviour[] {
  if (text === undefined || text === "") return [];
  const list = typeof text === "string" ? findJson(text) : undefined;
  if (!Array.isArray(list)) {
    failures.set(PATH, "must be a JSON array");
    return [];
  }
  if (list.length > REPORT_LIMITS.filters) {
    failures.set(PATH, `must have at most ${REPORT_LIMITS.filters} entries`);
    return [];
  }
  return list.flatMap((item, index) => readBehaviour(item, `${PATH}.${index}`, failures) ?? []);
}

function readBehaviour(item: unknown, path: string, failures: Failures): Behaviour | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) {
    failures.set(path, "must be an object with event, op and times");
    return undefined;
  }
  const {
    event = "",
    op,
    times,
    date_from,
    date_to,
    event_type,
    relative_to,
    window,
  } = item as Record<string, unknown>;
  const before = failures.size;
  const check = (isRight: boolean, key: string, problem: string) => {
    if (!isRight) failures.set(`${path}.${key}`, problem);
  };
  const type = typeof event_type === "string" && event_type !== "" ? event_type : undefined;
  check(
    event_type === undefined || event_type === "" || EVENT_KIND_NAMES.some((kind) => kind === type),
    "event_type",
    `must be one of ${EVENT_KIND_NAMES.join(", ")}`,
  );
  check(
    typeof event === "string" && event.length <= 512 && event.isWellFormed(),
    "event",
    "must be a text of at most 512 characters",
  );
  check(event !== "" || (type !== undefined && !NAMED_KINDS.includes(type)), "event", "is required");
  const operator = findCountOperator(op);
  check(operator !== undefined, "op", `must be one of ${COUNT_OPERATORS.join(", ")}`);
  check(isCount(times), "times", COUNT_ABOUT);
  check(relative_to === undefined || relative_to === "first_seen", "relative_to", "must be first_seen");
  const withinMs = relative_to === "first_seen" ? readWindow(window, `${path}.window`, failures) : undefined;
  const from = readDate(date_from, `${path}.date_from`, failures);
  const to = readDate(date_to, `${path}.date_to`, failures);
  if (from !== undefined && to !== undefined) check(from <= to, "date_from", "must not be after date_to");
  if (failures.size > before || operator === undefined) return undefined;
  return { event: String(event), type, op: operator, times: Number(times), from, to, withinMs };
}

/** By any of its names; undefined: not one that compares numbers of events. */
export function findCountOperator(op: unknown): Operator | undefined {
  return typeof op === "string" && [...COUNT_OPERATORS, ...LONG_OPS].includes(op) ? findOperator(op) : undefined;
}

export const COUNT_ABOUT = `must be a whole number from 0 to ${PEOPLE_LIMITS.times}`;

export function isCount(times: unknown): boolean {
  return Number.isInteger(times) && Number(times) >= 0 && Number(times) <= PEOPLE_LIMITS.times;
}

function readWindow(window: unknown, path: string, failures: Failures): number | undefined {
  const { value, unit } = (typeof window === "object" && window !== null ? window : {}) as Record<string, unknown>;
  const ms = Number(value) * (UNITS[String(unit)] ?? Number.NaN);
  if (Number.isInteger(value) && ms > 0 && ms <= LONGEST_WINDOW_MS) return ms;
  failures.set(path, "must be {value, unit}, a whole number of hours or days, at most ten years");
  return undefined;
}

export function readDate(date: unknown, path: string, failures: Failures): string | undefined {
  if (date === undefined || date === null || date === "") return undefined;
  if (typeof date === "string" && DATE.test(date) && findTime(date) !== undefined) return date;
  failures.set(path, "must be a valid date");
  return undefined;
}

/** The number of events `e` of a user, whose first one was at `first_ms`. */
export function behaviourCount({ event, type, from, to, withinMs }: Behaviour, name: string): Clause {
  const conditions: string[] = [];
  const params: Record<string, unknown> = {};
  const add = (sql: string, key: string, value: unknown) => {
    conditions.push(sql);
    params[`${name}_${key}`] = value;
  };
  if (type === undefined)
    add(
      `(e.type = {${name}_event:String} OR (${isNamedEvent("e")} AND e.event = {${name}_event:String}))`,
      "event",
      event,
    );
  else add(`e.type = {${name}_type:String}`, "type", type);
  if (type !== undefined && NAMED_KINDS.includes(type)) add(`e.event = {${name}_event:String}`, "event", event);
  if (withinMs !== undefined)
    add(`toUnixTimestamp64Milli(e.timestamp) - f.first_ms <= {${name}_within:Int64}`, "within", withinMs);
  else {
    if (from !== undefined) add(`e.day >= {${name}_from:Date}`, "from", from);
    if (to !== undefined) add(`e.day <= {${name}_to:Date}`, "to", to);
  }
  return { sql: `countIf(${conditions.join(" AND ")})`, params };
}
