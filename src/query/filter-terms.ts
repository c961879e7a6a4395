/** The filterable fields: `session` fields describe the first touch of a session, `event` fields one of its events. */
interface Field {
  readonly level: "session" | "event";
  readonly kind: Kind;
}

export type Kind = "text" | "number";

const session: Field = { level: "session", kind: "text" };
const event: Field = { level: "event", kind: "text" };
const number: Field = { level: "event", kind: "number" };

export const FIELDS = {
  device: session,
  browser: session,
  os: session,
  location: session,
  referrer: session,
  referrer_url: session,
  ref: session,
  origin: session,
  utm_source: session,
  utm_medium: session,
  utm_campaign: session,
  utm_content: session,
  utm_term: session,
  channel: session,
  builder_codes: session,
  event,
  type: event,
  page: event,
  chain_id: event,
  address: event,
  volume: number,
  revenue: number,
  points: number,
} as const satisfies Record<string, Field>;

export type FieldName = keyof typeof FIELDS;

export interface Operator {
  readonly takes: "one" | "many" | "nothing";
  readonly kinds: readonly Kind[];
  /** True if the operator compares whole values. */
  readonly isExact: boolean;
  sql(column: string, value: string): string;
}

const both = ["text", "number"] as const;
const exact = (sql: Operator["sql"]): Operator => ({ takes: "one", kinds: both, isExact: true, sql });
const alternatives = (sql: Operator["sql"]): Operator => ({ takes: "many", kinds: both, isExact: true, sql });
const order = (sign: string): Operator => ({
  takes: "one",
  kinds: ["number"],
  isExact: true,
  sql: (column, value) => `${column} ${sign} ${value}`,
});
/** Parts of a text match in any case. */
const part = (sql: Operator["sql"]): Operator => ({
  takes: "one",
  kinds: ["text"],
  isExact: false,
  sql: (column, value) => sql(`lowerUTF8(${column})`, `lowerUTF8(${value})`),
});
const emptiness = (sign: string): Operator => ({
  takes: "nothing",
  kinds: ["text"],
  isExact: false,
  sql: (column) => `${column} ${sign} ''`,
});

const OPERATORS: Readonly<Record<string, Operator>> = {
  equals: exact((column, value) => `${column} = ${value}`),
  notEquals: exact((column, value) => `${column} != ${value}`),
  greater: order(">"),
  less: order("<"),
  greaterOrEqual: order(">="),
  lessOrEqual: order("<="),
  in: alternatives((column, value) => `${column} IN ${value}`),
  notIn: alternatives((column, value) => `${column} NOT IN ${value}`),
  startsWith: part((column, value) => `startsWith(${column}, ${value})`),
  endsWith: part((column, value) => `endsWith(${column}, ${value})`),
  includes: part((column, value) => `position(${value} IN ${column}) > 0`),
  isEmpty: emptiness("="),
  notEmpty: emptiness("!="),
};

/** The short names of the current public API. */
const ALIASES: Readonly<Record<string, string>> = {
  eq: "equals",
  neq: "notEquals",
  gt: "greater",
  gte: "greaterOrEqual",
  lt: "less",
  lte: "lessOrEqual",
  nin: "notIn",
  contains: "includes",
};

export const OPERATOR_NAMES: readonly string[] = [...Object.keys(OPERATORS), ...Object.keys(ALIASES)];

export function findOperator(name: string): Operator | undefined {
  const full = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  return Object.hasOwn(OPERATORS, full) ? OPERATORS[full] : undefined;
}
