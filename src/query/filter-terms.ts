/** The filterable fields: `session` fields describe the first touch of a session, `event` fields one of its events. */
interface Field {
  readonly level: "session" | "event";
  readonly kind: Kind;
  /** True for a list of texts, separated by commas: a condition is about each of them. */
  readonly isList?: true;
}

export type Kind = "text" | "number";

const session: Field = { level: "session", kind: "text" };
const event: Field = { level: "event", kind: "text" };
const list: Field = { level: "event", kind: "text", isList: true };
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
  event,
  type: event,
  page: event,
  chain_id: event,
  builder_codes: list,
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
  /** The same for a list: one of its texts meets the condition, or with `notEquals` and `notIn` none of them is meant. */
  ofList?(column: string, value: string): string;
}

const both = ["text", "number"] as const;
const exact = (sql: Operator["sql"], ofList: Operator["sql"]): Operator => ({
  takes: "one",
  kinds: both,
  isExact: true,
  sql,
  ofList,
});
const alternatives = (sql: Operator["sql"], ofList: Operator["sql"]): Operator => ({
  ...exact(sql, ofList),
  takes: "many",
});
/** A list as an array. */
export const textsOf = (column: string) => `splitByChar(',', ${column})`;
const order = (sign: string): Operator => ({
  takes: "one",
  kinds: ["number"],
  isExact: true,
  sql: (column, value) => `${column} ${sign} ${value}`,
});
/**
 * Parts of a text match in any case. In a list, `edge` adds the comma that a part must touch; a part with a comma is in
 * no text of a list.
 */
const part = (sql: Operator["sql"], edge = (text: string) => text): Operator => ({
  takes: "one",
  kinds: ["text"],
  isExact: false,
  sql: (column, value) => sql(`lowerUTF8(${column})`, `lowerUTF8(${value})`),
  ofList(column, value) {
    const [all, wanted] = [column, value].map((text) => edge(`lowerUTF8(${text})`));
    return `position(',' IN ${value}) = 0 AND position(${wanted} IN ${all}) > 0`;
  },
});
const emptiness = (sign: string): Operator => ({
  takes: "nothing",
  kinds: ["text"],
  isExact: false,
  sql: (column) => `${column} ${sign} ''`,
});

const OPERATORS: Readonly<Record<string, Operator>> = {
  equals: exact(
    (column, value) => `${column} = ${value}`,
    (column, value) => `has(${textsOf(column)}, ${value})`,
  ),
  notEquals: exact(
    (column, value) => `${column} != ${value}`,
    (column, value) => `NOT has(${textsOf(column)}, ${value})`,
  ),
  greater: order(">"),
  less: order("<"),
  greaterOrEqual: order(">="),
  lessOrEqual: order("<="),
  in: alternatives(
    (column, value) => `${column} IN ${value}`,
    (column, value) => `hasAny(${textsOf(column)}, ${value})`,
  ),
  notIn: alternatives(
    (column, value) => `${column} NOT IN ${value}`,
    (column, value) => `NOT hasAny(${textsOf(column)}, ${value})`,
  ),
  startsWith: part(
    (column, value) => `startsWith(${column}, ${value})`,
    (text) => `concat(',', ${text})`,
  ),
  endsWith: part(
    (column, value) => `endsWith(${column}, ${value})`,
    (text) => `concat(${text}, ',')`,
  ),
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
