/** Conditions on events and sessions, as the reports take them, and their short text in the URL. */
export const OPERATORS = {
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
} as const;
export type Operator = keyof typeof OPERATORS;

export function isOperator(text: string): text is Operator {
  return Object.hasOwn(OPERATORS, text);
}

export interface Filter {
  field: string;
  op: Operator;
  value: string;
}

export interface FieldInfo {
  label: string;
  kind: "text" | "number";
  group: "Sources" | "Pages" | "Onchain" | "Places and devices" | "Events";
}

/** What people can filter by, in the order of the menu. */
export const FIELDS: Readonly<Record<string, FieldInfo>> = {
  channel: { label: "Channel", kind: "text", group: "Sources" },
  referrer: { label: "Referrer", kind: "text", group: "Sources" },
  referrer_url: { label: "Referrer URL", kind: "text", group: "Sources" },
  ref: { label: "Ref", kind: "text", group: "Sources" },
  utm_source: { label: "UTM source", kind: "text", group: "Sources" },
  utm_medium: { label: "UTM medium", kind: "text", group: "Sources" },
  utm_campaign: { label: "UTM campaign", kind: "text", group: "Sources" },
  utm_content: { label: "UTM content", kind: "text", group: "Sources" },
  utm_term: { label: "UTM term", kind: "text", group: "Sources" },
  page: { label: "Page", kind: "text", group: "Pages" },
  origin: { label: "Site", kind: "text", group: "Pages" },
  chain_id: { label: "Chain", kind: "text", group: "Onchain" },
  address: { label: "Wallet address", kind: "text", group: "Onchain" },
  builder_codes: { label: "Builder code", kind: "text", group: "Onchain" },
  location: { label: "Country", kind: "text", group: "Places and devices" },
  device: { label: "Device", kind: "text", group: "Places and devices" },
  browser: { label: "Browser", kind: "text", group: "Places and devices" },
  os: { label: "System", kind: "text", group: "Places and devices" },
  type: { label: "Event type", kind: "text", group: "Events" },
  event: { label: "Event", kind: "text", group: "Events" },
  revenue: { label: "Revenue", kind: "number", group: "Events" },
  volume: { label: "Volume", kind: "number", group: "Events" },
  points: { label: "Points", kind: "number", group: "Events" },
};

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

export function operatorsOf(field: string): readonly Operator[] {
  return FIELDS[field]?.kind === "number" ? NUMBER_OPERATORS : TEXT_OPERATORS;
}

export function takesValue(op: Operator): boolean {
  return op !== "notEmpty" && op !== "isEmpty";
}

/** `field.op.value`; a field has no dot, a value may. */
export function filterText({ field, op, value }: Filter): string {
  return takesValue(op) ? `${field}.${op}.${value}` : `${field}.${op}`;
}

export function parseFilter(text: string): Filter | undefined {
  const [field = "", op = "", ...rest] = text.split(".");
  if (!Object.hasOwn(FIELDS, field) || !isOperator(op)) return undefined;
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
      if (FIELDS[field]?.kind === "number") return { field, op, value: Number(value) };
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
