/** The conditions of an alert: reading them, and whether an event or a wallet meets them. */
import {
  type AlertOperator,
  EVENT_ALERT_FIELDS,
  findOperator,
  NUMBER_OPERATORS,
  TEXT_OPERATORS,
  USER_NUMBER_FIELDS,
  USER_TEXT_FIELDS,
} from "../contract/alert-fields.ts";
import type { TriggerType } from "../contract/alerts.ts";

/** As clients send it. */
export interface AlertFilter {
  readonly field: string;
  readonly op?: string;
  readonly value: string;
  readonly numericThreshold?: string;
}

/** A condition that can be compared. */
export type Condition =
  | { readonly kind: "text"; readonly field: string; readonly op: AlertOperator; readonly value: string }
  | { readonly kind: "number"; readonly field: string; readonly op: AlertOperator; readonly value: number };

type Fail = (path: string, reason: string) => void;

const isOneOf = (list: readonly string[], text: string) => list.includes(text);

/** Undefined and a failure for what cannot be compared. `path` is where the request has it. */
export function readCondition(
  trigger: Exclude<TriggerType, "metric">,
  filter: AlertFilter,
  path: string,
  fail: Fail,
): Condition | undefined {
  const isNumber = trigger === "user" && isOneOf(USER_NUMBER_FIELDS, filter.field);
  const isText = isOneOf(trigger === "event" ? EVENT_ALERT_FIELDS : USER_TEXT_FIELDS, filter.field);
  if (!isNumber && !isText) {
    const known = trigger === "event" ? EVENT_ALERT_FIELDS : [...USER_NUMBER_FIELDS, ...USER_TEXT_FIELDS];
    fail(`${path}.field`, `must be one of ${known.join(", ")}`);
    return undefined;
  }
  return isNumber ? readNumber(filter, path, fail) : readText(filter, path, fail);
}

function readOperator(
  { op }: AlertFilter,
  { allowed, otherwise }: { allowed: readonly AlertOperator[]; otherwise: AlertOperator },
  path: string,
  fail: Fail,
): AlertOperator | undefined {
  const found = op === undefined ? otherwise : findOperator(op);
  if (found !== undefined && allowed.includes(found)) return found;
  fail(`${path}.op`, `must be one of ${allowed.join(", ")} for this field`);
  return undefined;
}

function readText(filter: AlertFilter, path: string, fail: Fail): Condition | undefined {
  const op = readOperator(filter, { allowed: TEXT_OPERATORS, otherwise: "equals" }, path, fail);
  if (filter.numericThreshold !== undefined) fail(`${path}.numericThreshold`, "is for numbers: this field is a text");
  return op && { kind: "text", field: filter.field, op, value: filter.value };
}

/** The number is `numericThreshold`, or `value` where that is absent. */
function readNumber(filter: AlertFilter, path: string, fail: Fail): Condition | undefined {
  const op = readOperator(filter, { allowed: NUMBER_OPERATORS, otherwise: "gte" }, path, fail);
  const [name, text] =
    filter.numericThreshold === undefined ? ["value", filter.value] : ["numericThreshold", filter.numericThreshold];
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) fail(`${path}.${name}`, "must be a number");
  return op && Number.isFinite(value) ? { kind: "number", field: filter.field, op, value } : undefined;
}

/** What a field holds: a text, several, or a number. Undefined: nothing is known, and no condition is met. */
export type Held = string | readonly string[] | number | undefined;

export function meets(conditions: readonly Condition[], held: (field: string) => Held): boolean {
  return conditions.every((condition) => meetsOne(condition, held(condition.field)));
}

function meetsOne(condition: Condition, held: Held): boolean {
  if (held === undefined) return false;
  if (condition.kind === "number") return typeof held === "number" && compareNumbers(condition, held);
  const texts = typeof held === "object" ? held : [String(held)];
  const { op, value } = condition;
  // Of several texts none may be the value.
  if (op === "notEquals") return !texts.some((text) => compareTexts("equals", text, value));
  return texts.some((text) => compareTexts(op, text, value));
}

function compareTexts(op: AlertOperator, text: string, value: string): boolean {
  if (op === "equals") return text === value;
  if (op === "contains") return text.includes(value);
  if (op === "startsWith") return text.startsWith(value);
  return op === "endsWith" && text.endsWith(value);
}

function compareNumbers({ op, value }: { op: AlertOperator; value: number }, held: number): boolean {
  switch (op) {
    case "equals":
      return held === value;
    case "notEquals":
      return held !== value;
    case "gt":
      return held > value;
    case "gte":
      return held >= value;
    case "lt":
      return held < value;
    default:
      return held <= value;
  }
}
