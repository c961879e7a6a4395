/** Steps of funnels and flows, as the reports take them, and their short text in the URL: `kind` or `kind:value`. */
import { type Filter, isOperator, OPERATORS, type Operator, takesValue } from "./filters.ts";

export const STEP_KINDS = {
  page: { label: "Page view", value: "Path, or empty for any page", field: "page" },
  track: { label: "Custom event", value: "Name of the event", field: "event" },
  connect: { label: "Wallet connected", value: undefined, field: undefined },
  chain: { label: "Chain changed", value: undefined, field: undefined },
  signature: { label: "Signature", value: undefined, field: undefined },
  transaction: { label: "Transaction", value: undefined, field: undefined },
  decoded_log: { label: "Contract event", value: "Name of the event", field: "event" },
  identify: { label: "Identified", value: undefined, field: undefined },
} as const;
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

export function isNumberOperator(op: Operator): boolean {
  return ["gt", "gte", "lt", "lte"].includes(op);
}

/** `property.op.value`; a dot of the property is written as %2E. */
export function conditionText({ field, op, value }: Filter): string {
  const name = field.replaceAll("%", "%25").replaceAll(".", "%2E");
  return takesValue(op) ? `${name}.${op}.${value}` : `${name}.${op}`;
}

function parseCondition(text: string): Filter | undefined {
  const [name = "", op = "", ...rest] = text.split(".");
  const field = name.replaceAll("%2E", ".").replaceAll("%25", "%");
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
  return [value === "" ? STEP_KINDS[kind].label : value, ...where.map(conditionWords)].join(", ");
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
