/**
 * THE list of the fields of `filters` and of their operators. The order is that of documents and messages; `menu` has
 * the order of the dashboard. A property of events is a field, too: see properties.ts.
 */
export type FieldKind = "text" | "number";

interface FilterFieldInfo {
  /** `session` fields describe the first touch of a session, `event` fields one of its events. */
  readonly level: "session" | "event";
  readonly kind: FieldKind;
  /** For a list of texts, separated by commas, its items: a condition is about each of them. */
  readonly listOf?: string;
  readonly label: string;
  readonly menu: readonly [group: FieldGroup, place: number];
}

export const FIELD_GROUPS = ["Sources", "Pages", "Onchain", "Places and devices", "Events"] as const;
type FieldGroup = (typeof FIELD_GROUPS)[number];

const session = { level: "session", kind: "text" } as const;
const event = { level: "event", kind: "text" } as const;
const amount = { level: "event", kind: "number" } as const;

export const FILTER_FIELDS = {
  device: { ...session, label: "Device", menu: ["Places and devices", 2] },
  browser: { ...session, label: "Browser", menu: ["Places and devices", 3] },
  os: { ...session, label: "System", menu: ["Places and devices", 4] },
  location: { ...session, label: "Country", menu: ["Places and devices", 1] },
  referrer: { ...session, label: "Referrer", menu: ["Sources", 2] },
  referrer_url: { ...session, label: "Referrer URL", menu: ["Sources", 3] },
  ref: { ...session, label: "Ref", menu: ["Sources", 4] },
  origin: { ...session, label: "Site", menu: ["Pages", 2] },
  utm_source: { ...session, label: "UTM source", menu: ["Sources", 5] },
  utm_medium: { ...session, label: "UTM medium", menu: ["Sources", 6] },
  utm_campaign: { ...session, label: "UTM campaign", menu: ["Sources", 7] },
  utm_content: { ...session, label: "UTM content", menu: ["Sources", 8] },
  utm_term: { ...session, label: "UTM term", menu: ["Sources", 9] },
  channel: { ...session, label: "Channel", menu: ["Sources", 1] },
  event: { ...event, label: "Event", menu: ["Events", 2] },
  type: { ...event, label: "Event type", menu: ["Events", 1] },
  page: { ...event, label: "Page", menu: ["Pages", 1] },
  chain_id: { ...event, label: "Chain", menu: ["Onchain", 1] },
  builder_codes: { ...event, listOf: "code", label: "Builder code", menu: ["Onchain", 3] },
  address: { ...event, label: "Wallet address", menu: ["Onchain", 2] },
  volume: { ...amount, label: "Volume", menu: ["Events", 4] },
  revenue: { ...amount, label: "Revenue", menu: ["Events", 3] },
  points: { ...amount, label: "Points", menu: ["Events", 5] },
} as const satisfies Record<string, FilterFieldInfo>;

export type FieldName = keyof typeof FILTER_FIELDS;

export const FIELD_NAMES = Object.keys(FILTER_FIELDS) as readonly FieldName[];

/** Undefined: there is no such field. */
export function findField(name: string): FilterFieldInfo | undefined {
  return Object.hasOwn(FILTER_FIELDS, name) ? FILTER_FIELDS[name as FieldName] : undefined;
}

interface OperatorInfo {
  /** The short name of the hosted service's public API. */
  readonly short?: string;
  readonly takes: "one" | "many" | "nothing";
  readonly kinds: readonly FieldKind[];
}

const both = ["text", "number"] as const;

export const FILTER_OPERATORS = {
  equals: { short: "eq", takes: "one", kinds: both },
  notEquals: { short: "neq", takes: "one", kinds: both },
  greater: { short: "gt", takes: "one", kinds: ["number"] },
  less: { short: "lt", takes: "one", kinds: ["number"] },
  greaterOrEqual: { short: "gte", takes: "one", kinds: ["number"] },
  lessOrEqual: { short: "lte", takes: "one", kinds: ["number"] },
  in: { takes: "many", kinds: both },
  notIn: { short: "nin", takes: "many", kinds: both },
  startsWith: { takes: "one", kinds: ["text"] },
  endsWith: { takes: "one", kinds: ["text"] },
  includes: { short: "contains", takes: "one", kinds: ["text"] },
  isEmpty: { takes: "nothing", kinds: ["text"] },
  notEmpty: { takes: "nothing", kinds: ["text"] },
} as const satisfies Record<string, OperatorInfo>;

export type OperatorName = keyof typeof FILTER_OPERATORS;
type Operators = typeof FILTER_OPERATORS;
type ShortOf<Name extends OperatorName> = Operators[Name] extends { short: infer Short extends string } ? Short : Name;
/** The short name where there is one, otherwise the full one. */
export type ShortOperator = { [Name in OperatorName]: ShortOf<Name> }[OperatorName];

const OPERATORS: readonly (readonly [string, OperatorInfo])[] = Object.entries(FILTER_OPERATORS);

const SHORT_NAMES: ReadonlyMap<string, OperatorName> = new Map(
  OPERATORS.flatMap(([name, { short }]) => (short === undefined ? [] : [[short, name as OperatorName]])),
);

/** The full names, then the short ones. */
export const OPERATOR_NAMES: readonly string[] = [...Object.keys(FILTER_OPERATORS), ...SHORT_NAMES.keys()];

/** By any of its names. Undefined: there is no such operator. */
export function findOperatorName(text: string): OperatorName | undefined {
  return SHORT_NAMES.get(text) ?? (Object.hasOwn(FILTER_OPERATORS, text) ? (text as OperatorName) : undefined);
}

/** What `filters` may hold, for the document. */
export function describeFilters(propertyAbout: string): string {
  const fields: readonly (readonly [string, FilterFieldInfo])[] = Object.entries(FILTER_FIELDS);
  const texts = (level: FilterFieldInfo["level"]) =>
    fields.filter(([, field]) => field.level === level && field.kind === "text");
  const plain = texts("event").filter(([, { listOf }]) => listOf === undefined);
  const lists = texts("event").filter(([, { listOf }]) => listOf !== undefined);
  const numbers = fields.filter(([, { kind }]) => kind === "number");
  const namesOf = (list: readonly (readonly [string, unknown])[]) => list.map(([name]) => name);
  const ofLists = lists.map(([name, { listOf }]) => `${name} (each ${listOf} of the event)`);
  const valued = OPERATORS.filter(([, { takes }]) => takes !== "nothing");
  const empty = OPERATORS.filter(([, { takes }]) => takes === "nothing");
  return (
    `Session fields: ${namesOf(texts("session")).join(", ")}. ` +
    `Event fields: ${[...namesOf(plain), ...ofLists, propertyAbout].join(", ")}. ` +
    `Numbers: ${namesOf(numbers).join(", ")}. ` +
    `Operators: ${namesOf(valued).join(", ")} (short: ${[...SHORT_NAMES.keys()].join(", ")}), ` +
    `${namesOf(empty).join(", ")}.`
  );
}
