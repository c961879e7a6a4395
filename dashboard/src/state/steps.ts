/** Steps of funnels and flows, as the reports take them, and their short text in the URL: `kind` or `kind:value`. */
import { EVENT_KINDS, type EventKind } from "../../../src/contract/event-kinds.ts";
import type { FieldName } from "../../../src/contract/filter-fields.ts";
import {
  type Filter,
  isNumberOperator,
  isOperator,
  nameText,
  OPERATORS,
  type Operator,
  parseName,
  takesValue,
} from "./filters.ts";

/** The kinds of events that can be steps, in the order of the menu, with what their value is about. */
export const STEP_KINDS = {
  page: { value: "Path, or empty for any page", field: "page" },
  track: { value: "Name of the event", field: "event" },
  connect: { value: undefined, field: undefined },
  chain: { value: undefined, field: undefined },
  signature: { value: undefined, field: undefined },
  transaction: { value: undefined, field: undefined },
  decoded_log: { value: "Name of the event", field: "event" },
  identify: { value: undefined, field: undefined },
} as const satisfies Partial<Record<EventKind, { value: string | undefined; field: FieldName | undefined }>>;
export type StepKind = keyof typeof STEP_KINDS;
export const STEP_KIND_NAMES = Object.keys(STEP_KINDS) as readonly StepKind[];

export interface Step {
  kind: StepKind;
  /** A path or a name; empty for any page. */
  value: string;
  /** Conditions on the properties of its events. */
  where?: readonly Filter[];
}

/** What a property can be compared by; the first five as a text, the others as a number. */
export const PROPERTY_OPERATORS = [
  ...(["eq", "neq", "contains", "startsWith", "in"] as const),
  ...(["gt", "gte", "lt", "lte"] as const),
  ...(["notEmpty", "isEmpty"] as const),
] satisfies Operator[];

/** `property.op.value`; a dot of the property is written as %2E. */
export function conditionText({ field, op, value }: Filter): string {
  const name = nameText(field);
  return takesValue(op) ? `${name}.${op}.${value}` : `${name}.${op}`;
}

function parseCondition(text: string): Filter | undefined {
  const [name = "", op = "", ...rest] = text.split(".");
  const field = parseName(name);
  const value = rest.join(".");
  if (field === "" || !isOperator(op) || (takesValue(op) && value === "")) return undefined;
  return { field, op, value: takesValue(op) ? value : "" };
}

export function conditionWords({ field, op, value }: Filter): string {
  return takesValue(op) ? `${field} ${OPERATORS[op]} ${value.split("|").join(", ")}` : `${field} ${OPERATORS[op]}`;
}

/** Conditions of all steps, as in the URL: `place:condition`, the first step being place 1. */
export function whereTexts(steps: readonly Step[]): string[] {
  return steps.flatMap(({ where = [] }, index) => where.map((one) => `${index + 1}:${conditionText(one)}`));
}

/** The steps with the conditions of the URL. */
export function withConditions(steps: readonly Step[], texts: readonly string[]): Step[] {
  return steps.map((step, index) => {
    const start = `${index + 1}:`;
    const own = texts.filter((text) => text.startsWith(start)).map((text) => parseCondition(text.slice(start.length)));
    const where = own.filter((one) => one !== undefined);
    return where.length === 0 ? step : { ...step, where };
  });
}

export function parseStep(text: string): Step | undefined {
  const at = text.indexOf(":");
  const kind = STEP_KIND_NAMES.find((name) => name === (at === -1 ? text : text.slice(0, at)));
  return kind === undefined ? undefined : { kind, value: at === -1 ? "" : text.slice(at + 1) };
}

export function stepText({ kind, value }: Step): string {
  return value === "" ? kind : `${kind}:${value}`;
}

/** True if a report can count it: custom and contract events need a name. */
export function isComplete({ kind, value }: Step): boolean {
  return value !== "" || (kind !== "track" && kind !== "decoded_log");
}

export function stepLabel({ kind, value, where = [] }: Step): string {
  return [value === "" ? EVENT_KINDS[kind].label : value, ...where.map(conditionWords)].join(", ");
}

interface StepParameter {
  type: string;
  event?: string;
  filters?: readonly { field: string; op: Operator; value?: string | number | readonly string[] }[];
}

/** A step of the reports `funnel` and `flow`. A page is a built-in event, or a path in its place. */
export function stepParameter({ where = [], ...step }: Step): StepParameter {
  const filters = where.map(({ field, op, value }) => {
    if (!takesValue(op)) return { field, op };
    return { field, op, value: isNumberOperator(op) ? Number(value) : op === "in" ? value.split("|") : value };
  });
  return { ...eventParameter(step), ...(filters.length === 0 ? {} : { filters }) };
}

function eventParameter({ kind, value }: Step): StepParameter {
  switch (kind) {
    case "page":
      return { type: "event", event: value === "" ? "page" : value };
    case "track":
    case "decoded_log":
      return { type: kind, event: value };
    case "signature":
    case "transaction":
      return { type: kind };
    case "connect":
    case "chain":
    case "identify":
      return { type: "event", event: kind };
  }
}

/** The step that a report's parameter is about; undefined where it says more than a step of this page can. */
export function readStep(parameter: Readonly<Record<string, unknown>>): Step | undefined {
  const { type, event, filters = [] } = parameter;
  const name = typeof event === "string" ? event : "";
  const step = readEvent(typeof type === "string" ? type : "", name);
  const where = Array.isArray(filters) ? filters.map(readCondition) : [undefined];
  if (step === undefined || where.includes(undefined)) return undefined;
  return where.length === 0 ? step : { ...step, where: where.filter((one) => one !== undefined) };
}

function readEvent(type: string, name: string): Step | undefined {
  if (type === "track" || type === "decoded_log") return { kind: type, value: name };
  const kind = STEP_KIND_NAMES.find((one) => one === (type === "event" ? name : type));
  if (kind !== undefined) return { kind, value: "" };
  return type === "event" && name.startsWith("/") ? { kind: "page", value: name } : undefined;
}

function readCondition(given: unknown): Filter | undefined {
  const { field, op, value = "" } = (given ?? {}) as Record<string, unknown>;
  if (typeof field !== "string" || typeof op !== "string" || !isOperator(op)) return undefined;
  return { field, op, value: Array.isArray(value) ? value.join("|") : String(value) };
}
