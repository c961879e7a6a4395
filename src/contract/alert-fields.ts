/** THE list of what alerts compare: the fields of events and of wallets, and the operators. */

/** Spellings of one operator; the first is its name. */
const SPELLINGS = {
  equals: ["equals", "eq", "is", "exact"],
  notEquals: ["notEquals", "neq", "ne", "not_equal", "not-equal", "isNot"],
  contains: ["contains", "includes"],
  startsWith: ["startsWith", "starts_with", "starts-with"],
  endsWith: ["endsWith", "ends_with", "ends-with"],
  gt: ["gt", "greater"],
  gte: ["gte", "greaterOrEqual"],
  lt: ["lt", "less"],
  lte: ["lte", "lessOrEqual"],
} as const;

export type AlertOperator = keyof typeof SPELLINGS;
export const ALERT_OPERATORS: readonly string[] = Object.keys(SPELLINGS);

export const TEXT_OPERATORS = ["equals", "notEquals", "contains", "startsWith", "endsWith"] as const;
export const NUMBER_OPERATORS = ["equals", "notEquals", "gt", "gte", "lt", "lte"] as const;

export function findOperator(text: string): AlertOperator | undefined {
  const found = Object.entries(SPELLINGS).find(([, spellings]) => (spellings as readonly string[]).includes(text));
  return found?.[0] as AlertOperator | undefined;
}

export const EVENT_ALERT_FIELDS = [
  "type",
  "event",
  "address",
  "user_id",
  "anonymous_id",
  "location",
  "device",
  "browser",
  "os",
  "referrer",
] as const;
export type EventAlertField = (typeof EVENT_ALERT_FIELDS)[number];

export const USER_NUMBER_FIELDS = ["net_worth_usd", "volume", "revenue", "points", "apps", "tokens", "chains"] as const;

const UTM = ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"] as const;
const ARRIVALS = ["referrer", ...UTM] as const;

/** Without `first_` or `last_` it is the first touch, as in searches of profiles. */
export const USER_TEXT_FIELDS = [
  "location",
  "device",
  "browser",
  "os",
  ...ARRIVALS,
  ...ARRIVALS.map((name) => `first_${name}` as const),
  ...ARRIVALS.map((name) => `last_${name}` as const),
  "labels",
  "lifecycle",
  "socials",
] as const;
