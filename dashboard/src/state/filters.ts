/** Conditions on events and sessions, as the reports take them, and their short text in the URL. */
import {
  FIELD_GROUPS,
  FIELD_NAMES,
  FILTER_FIELDS,
  type FieldName,
  type ShortOperator,
} from "../../../src/contract/filter-fields.ts";

/** The words for the operators, in the order of the menu. */
export const OPERATORS: Readonly<Record<ShortOperator, string>> = {
  eq: "is",
  neq: "is not",
  in: "is one of",
  nin: "is none of",
  contains: "contains",
  startsWith: "begins with",
  endsWith: "ends with",
  gt: "is over",
  gte: "is at least",
  lt: "is under",
  lte: "is at most",
  notEmpty: "is set",
  isEmpty: "is not set",
};
export type Operator = ShortOperator;

export function isOperator(text: string): text is Operator {
  return Object.hasOwn(OPERATORS, text);
}

export interface Filter {
  field: string;
  op: Operator;
  value: string;
}

type FieldInfo = Pick<(typeof FILTER_FIELDS)[FieldName], "label" | "kind"> & { group: (typeof FIELD_GROUPS)[number] };

/** What people can filter by, in the order of the menu. */
export const FIELDS: Readonly<Record<string, FieldInfo>> = Object.fromEntries(
  FIELD_NAMES.map((name) => ({ name, ...FILTER_FIELDS[name] }))
    .sort((a, b) => FIELD_GROUPS.indexOf(a.menu[0]) - FIELD_GROUPS.indexOf(b.menu[0]) || a.menu[1] - b.menu[1])
    .map(({ name, label, kind, menu }) => [name, { label, kind, group: menu[0] }]),
);

const TEXT_OPERATORS: readonly Operator[] = [
  "eq",
  "neq",
  "in",
  "nin",
  "contains",
  "startsWith",
  "endsWith",
  "notEmpty",
  "isEmpty",
];
const NUMBER_OPERATORS: readonly Operator[] = ["gt", "gte", "lt", "lte", "eq", "neq"];

/** A property of events as a field: its value is compared as a text, and by size as a number. */
const PROPERTY = "properties.";
const SIZE_OPERATORS: readonly Operator[] = ["gt", "gte", "lt", "lte"];

export function propertyField(name: string): string {
  return `${PROPERTY}${name}`;
}

/** The name of the property; undefined for other fields. */
export function propertyOf(field: string): string | undefined {
  return field.startsWith(PROPERTY) && field !== PROPERTY ? field.slice(PROPERTY.length) : undefined;
}

export function fieldLabel(field: string): string {
  return FIELDS[field]?.label ?? propertyOf(field) ?? field;
}

export function isNumberOperator(op: Operator): boolean {
  return SIZE_OPERATORS.includes(op);
}

/** True if the value of the condition is a number. */
export function takesNumber({ field, op }: Pick<Filter, "field" | "op">): boolean {
  return FIELDS[field]?.kind === "number" || (propertyOf(field) !== undefined && isNumberOperator(op));
}

export function operatorsOf(field: string): readonly Operator[] {
  if (propertyOf(field) !== undefined) return [...TEXT_OPERATORS, ...SIZE_OPERATORS];
  return FIELDS[field]?.kind === "number" ? NUMBER_OPERATORS : TEXT_OPERATORS;
}

export function takesValue(op: Operator): boolean {
  return op !== "notEmpty" && op !== "isEmpty";
}

/** A name in the URL, where dots separate: its own are written as %2E. */
export function nameText(name: string): string {
  return name.replaceAll("%", "%25").replaceAll(".", "%2E");
}

export function parseName(text: string): string {
  return text.replaceAll("%2E", ".").replaceAll("%25", "%");
}

/** `field.op.value` or `properties.name.op.value`; a field has no dot, a value may. */
export function filterText({ field, op, value }: Filter): string {
  const property = propertyOf(field);
  const name = property === undefined ? field : propertyField(nameText(property));
  return takesValue(op) ? `${name}.${op}.${value}` : `${name}.${op}`;
}

export function parseFilter(text: string): Filter | undefined {
  const property = propertyOf(text)?.split(".", 1)[0];
  const name = property === undefined ? text.split(".", 1)[0] : propertyField(property);
  if (name === undefined || property === "") return undefined;
  const [op = "", ...rest] = text.slice(name.length + 1).split(".");
  const field = property === undefined ? name : propertyField(parseName(property));
  if ((property === undefined && !Object.hasOwn(FIELDS, field)) || !isOperator(op)) return undefined;
  const value = rest.join(".");
  if (takesValue(op) && value === "") return undefined;
  return { field, op, value: takesValue(op) ? value : "" };
}

/** The `filters` parameter of a report. */
export function filtersParameter(filters: readonly Filter[]): string | undefined {
  if (filters.length === 0) return undefined;
  return JSON.stringify(
    filters.map(({ field, op, value }) => {
      if (!takesValue(op)) return { field, op };
      if (takesNumber({ field, op })) return { field, op, value: Number(value) };
      return { field, op, value: op === "in" || op === "nin" ? value.split("|") : value };
    }),
  );
}

/**
 * Adds a condition. A second value of the same field and direction widens the first one ("is A" and "is B" can never
 * both hold, so they become "is one of A, B"); the same condition again is removed.
 */
export function toggleFilter(filters: readonly Filter[], field: string, value: string, exclude: boolean): Filter[] {
  const [one, many]: [Operator, Operator] = exclude ? ["neq", "nin"] : ["eq", "in"];
  const index = filters.findIndex((filter) => filter.field === field && (filter.op === one || filter.op === many));
  const existing = filters[index];
  if (existing === undefined || value.includes("|")) return [...filters, { field, op: one, value }];
  const values = existing.value.split("|");
  const next = values.includes(value) ? values.filter((known) => known !== value) : [...values, value];
  const replaced: Filter[] =
    next.length === 0 ? [] : [{ field, op: next.length === 1 ? one : many, value: next.join("|") }];
  return [...filters.slice(0, index), ...replaced, ...filters.slice(index + 1)];
}

/** Conditions that a click on a row makes; others, such as "contains", are typed, and count everywhere. */
const CHOSEN_BY_CLICK: readonly Operator[] = ["eq", "in", "isEmpty"];

/** The filters without those that chose values of these fields. */
export function withoutChosen(filters: readonly Filter[], fields: readonly string[]): Filter[] {
  return filters.filter(({ field, op }) => !(fields.includes(field) && CHOSEN_BY_CLICK.includes(op)));
}
