/** Conditions on profiles: what people choose, its text in the URL, and what a search and a segment take. */
import {
  FILTER_FIELDS,
  FILTER_OPERATORS,
  type OperatorName,
  type ShortOperator,
} from "../../../../src/contract/filter-fields.ts";
import { FIELD_CLASSES, findProfileField, SOCIAL_KEYS, TOUCH_FIELDS } from "../../../../src/contract/profile-fields.ts";
import type { Condition } from "../../format/condition.ts";
import { valueName } from "../../format/names.ts";
import { isOperator, OPERATORS, takesValue } from "../../state/filters.ts";

export interface WalletCondition {
  /** As a search has it, without `users.`; LABEL for a label. */
  field: string;
  op: ShortOperator;
  value: string;
  /** The name of the label. */
  tag?: string;
}

export const LABEL = "label";
const TOUCHES = [...TOUCH_FIELDS, "paid_source"] as const;

/** Net worth, tokens and apps are left out: without a provider no wallet meets a condition on them. */
export const FIELD_MENU: readonly (readonly [group: string, fields: readonly string[]])[] = [
  ["Amounts", ["revenue", "volume", "points"]],
  ["Stage and labels", ["lifecycle", LABEL]],
  ["First touch", TOUCHES.map((name) => `first_${name}`)],
  ["Last touch", TOUCHES.map((name) => `last_${name}`)],
  ["Device and place", ["device", "browser", "os", "location"]],
  ["Names", SOCIAL_KEYS],
];
const FIELDS = new Set(FIELD_MENU.flatMap(([, fields]) => fields));

const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(FILTER_FIELDS).map(([name, { label }]) => [name, label])),
  [LABEL]: "Label",
  lifecycle: "Lifecycle",
  click_id: "Click id",
  paid_source: "Paid source",
  ens: "ENS",
  twitter: "X (Twitter)",
  github: "GitHub",
  linkedin: "LinkedIn",
  tiktok: "TikTok",
  youtube: "YouTube",
  user_id: "User id",
  display_name: "Name",
};

/** The name of a column of profiles. */
export function fieldName(field: string): string {
  const [, which, column] = /^(first|last)_(.+)$/.exec(field) ?? [];
  if (which !== undefined && column !== undefined)
    return `${which === "first" ? "First" : "Last"} ${lowerFirst(fieldName(column))}`;
  return NAMES[field] ?? `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
}

/** "Channel" -> "channel", and "UTM source" as it is. */
function lowerFirst(name: string): string {
  return /^[A-Z]{2}/.test(name) ? name : `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

const BY_SIZE: readonly OperatorName[] = ["greater", "greaterOrEqual", "less", "lessOrEqual"];

const classOf = (field: string) => findProfileField(field === LABEL ? "labels.value" : field)?.class ?? "text";

/** Texts have no size that people think of. The stages of a wallet are chosen one by one. */
export function operatorsOf(field: string): readonly ShortOperator[] {
  const fieldClass = classOf(field);
  const all: readonly OperatorName[] = FIELD_CLASSES[fieldClass].operators;
  const wanted = all.filter((name) => {
    if (fieldClass === "lifecycle") return name === "equals";
    return fieldClass === "amount" || fieldClass === "label" || !BY_SIZE.includes(name);
  });
  const short = wanted.map((name) => {
    const info = FILTER_OPERATORS[name];
    return ("short" in info ? info.short : name) as ShortOperator;
  });
  return Object.keys(OPERATORS).filter((op): op is ShortOperator => (short as readonly string[]).includes(op));
}

/** True where the value must be a number. */
export function takesNumber({ field, op }: Pick<WalletCondition, "field" | "op">): boolean {
  return classOf(field) === "amount" || (field === LABEL && ["gt", "gte", "lt", "lte"].includes(op));
}

export function isWhole(condition: WalletCondition): boolean {
  if (condition.field === LABEL && (condition.tag ?? "").trim() === "") return false;
  if (!takesValue(condition.op)) return true;
  return condition.value.trim() !== "" && (!takesNumber(condition) || Number.isFinite(Number(condition.value)));
}

/** `revenue.gte.100`, `label:tier.eq.gold`. */
export function conditionText({ field, op, value, tag }: WalletCondition): string {
  const name = field === LABEL ? `${LABEL}:${encodeURIComponent(tag ?? "").replaceAll(".", "%2E")}` : field;
  return takesValue(op) ? `${name}.${op}.${value}` : `${name}.${op}`;
}

/** Undefined: an old or mistyped link. */
export function parseCondition(text: string): WalletCondition | undefined {
  const [, name = "", op = "", value = ""] = /^([^.]+)\.([^.]+)(?:\.(.*))?$/s.exec(text) ?? [];
  const isLabel = name.startsWith(`${LABEL}:`);
  const field = isLabel ? LABEL : name;
  if (!FIELDS.has(field) || !isOperator(op) || !operatorsOf(field).includes(op)) return undefined;
  const condition = { field, op, value, ...(isLabel ? { tag: decoded(name.slice(LABEL.length + 1)) } : {}) };
  return isWhole(condition) ? condition : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not every % begins a character.
    return text;
  }
}

export function conditionWords({ field, op, value, tag }: WalletCondition): string {
  const name = field === LABEL ? `Label ${tag ?? ""}` : fieldName(field);
  if (!takesValue(op)) return `${name} ${OPERATORS[op]}`;
  const column = field.replace(/^(first|last)_/, "");
  const shown = op === "in" || op === "nin" ? value.split("|") : [value];
  return `${name} ${OPERATORS[op]} ${shown.map((one) => valueName(column, one)).join(", ")}`;
}

/** As the body of a search has it. */
export function searchFilter(condition: WalletCondition): Condition & { tag_id?: string } {
  const { field, op, value, tag } = condition;
  return {
    field: field === LABEL ? "labels.value" : `users.${field}`,
    op,
    ...(takesValue(op) ? { value: bodyValue(condition, value) } : {}),
    ...(field === LABEL ? { tag_id: tag ?? "" } : {}),
  };
}

function bodyValue(condition: WalletCondition, value: string): unknown {
  if (takesNumber(condition)) return Number(value);
  return condition.op === "in" || condition.op === "nin" ? value.split("|") : value;
}

/** Fields that mean the same of a session and of a wallet: amounts of a wallet are totals, those of a segment are of events. */
const OF_SEGMENTS: Readonly<Record<string, string>> = Object.fromEntries(
  ["device", "browser", "os", "location", ...TOUCHES.map((name) => `first_${name}`)].flatMap((field) => {
    const name = field.replace(/^first_/, "");
    return Object.hasOwn(FILTER_FIELDS, name) ? [[field, name]] : [];
  }),
);

/** The conditions as a segment keeps them. Undefined: one of them is none of segments, or they are joined by "or". */
export function segmentFilters(conditions: readonly WalletCondition[], logic: "and" | "or"): Condition[] | undefined {
  if (conditions.length === 0 || (logic === "or" && conditions.length > 1)) return undefined;
  const filters = conditions.flatMap((condition) => {
    const field = OF_SEGMENTS[condition.field];
    return field === undefined ? [] : [{ ...searchFilter(condition), field }];
  });
  return filters.length === conditions.length ? filters : undefined;
}

/** Why the conditions are no segment. Undefined: they are one, or there are none. */
export function whyNoSegment(conditions: readonly WalletCondition[], logic: "and" | "or"): string | undefined {
  if (conditions.length === 0 || segmentFilters(conditions, logic) !== undefined) return undefined;
  if (logic === "or" && conditions.length > 1) return "A segment keeps conditions that all hold.";
  const others = conditions.filter(({ field }) => OF_SEGMENTS[field] === undefined);
  const names = [...new Set(others.map(({ field }) => fieldName(field)))];
  const verb = names.length === 1 ? "is" : "are";
  return `A segment keeps conditions on sessions; ${names.join(", ")} ${verb} of the wallet as a whole.`;
}
