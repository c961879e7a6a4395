/** THE list of the fields of a search of profiles: their classes, operators and qualifiers. */
import type { OperatorName } from "./filter-fields.ts";
import { ARRIVAL_COLUMNS } from "./metric-columns.ts";

/** What an app may set about a wallet. */
export const PROPERTY_KEYS = [
  "user_id",
  "display_name",
  "email",
  "farcaster",
  "discord",
  "twitter",
  "telegram",
  "instagram",
  "website",
  "github",
  "linkedin",
  "facebook",
  "tiktok",
  "youtube",
  "reddit",
  "avatar",
  "description",
  "location",
  "ens",
  "lens",
  "basenames",
  "linea",
] as const;
export type PropertyKey = (typeof PROPERTY_KEYS)[number];

/** The name of the property that an import gives a wallet. No client sets it. */
export const IMPORTED = "_imported";

/** What providers tell that is no property of an app. No client sets it. */
export const NET_WORTH = "_net_worth_usd";
export const TOKENS = "_tokens";
/** The mark of a wallet for which a provider was asked. */
export const askedMark = (provider: string) => `_asked.${provider}`;

/**
 * What an app says has a time from here on, 1970-04-26. What providers tell has an earlier one: every word of the app
 * counts before it, and no profile stands on it alone.
 */
export const FIRST_SAID_MS = 10_000_000_000;

/** Properties by which people are found elsewhere. */
export const SOCIAL_KEYS = [
  "ens",
  "farcaster",
  "lens",
  "basenames",
  "linea",
  "discord",
  "telegram",
  "website",
  "twitter",
  "github",
  "linkedin",
  "email",
  "instagram",
  "facebook",
  "tiktok",
  "youtube",
  "reddit",
] as const satisfies readonly PropertyKey[];

/** Columns of a touch. `first_` and `last_` say which; without either it is the first. */
export const TOUCH_FIELDS = [...ARRIVAL_COLUMNS, "channel", "click_id"] as const;

export const QUALIFIERS = ["chain_id", "app_id", "token_address", "scope", "tag_id"] as const;
export type Qualifier = (typeof QUALIFIERS)[number];

export const TOKEN_SCOPES = ["any", "protocol"] as const;

const COMPARISONS = ["equals", "notEquals", "greater", "greaterOrEqual", "less", "lessOrEqual"] as const;
const EXACT = ["equals", "notEquals", "in", "notIn"] as const;
const EMPTINESS = ["notEmpty", "isEmpty"] as const;

interface ClassInfo {
  readonly operators: readonly OperatorName[];
  /** Qualifier -> whether it is needed. `app_id` of tokens is needed with the scope `protocol`, and with it alone. */
  readonly qualifiers: Partial<Readonly<Record<Qualifier, "needed" | "allowed">>>;
}

/** `unknown` classes are null without a provider: their conditions are checked and no profile meets them. */
export const FIELD_CLASSES = {
  amount: { operators: COMPARISONS, qualifiers: {} },
  worth: { operators: COMPARISONS, qualifiers: {} },
  text: {
    operators: [...COMPARISONS, "in", "notIn", "includes", "startsWith", "endsWith", ...EMPTINESS],
    qualifiers: {},
  },
  social: { operators: ["equals", "notEquals", "includes", "notEmpty"], qualifiers: {} },
  paid_source: { operators: [...EXACT, ...EMPTINESS], qualifiers: {} },
  lifecycle: { operators: ["equals", "in"], qualifiers: {} },
  chain_balance: { operators: COMPARISONS, qualifiers: { chain_id: "allowed" } },
  app_balance: { operators: COMPARISONS, qualifiers: { app_id: "needed", chain_id: "allowed" } },
  token_balance: {
    operators: COMPARISONS,
    qualifiers: { token_address: "needed", scope: "allowed", app_id: "allowed", chain_id: "allowed" },
  },
  label: { operators: [...COMPARISONS, "includes"], qualifiers: { tag_id: "needed", chain_id: "allowed" } },
} as const satisfies Record<string, ClassInfo>;
export type FieldClass = keyof typeof FIELD_CLASSES;

export interface ProfileField {
  readonly class: FieldClass;
  /** The column of a profile, or the key of a property. */
  readonly column: string;
}

const ofTouches = (name: string, fieldClass: FieldClass): [string, ProfileField][] =>
  (["", "first_", "last_"] as const).map((which) => [
    `users.${which}${name}`,
    { class: fieldClass, column: `${which || "first_"}${name}` },
  ]);
const ofUsers = (names: readonly string[], fieldClass: FieldClass): [string, ProfileField][] =>
  names.map((name) => [`users.${name}`, { class: fieldClass, column: name }]);

const FIELDS: ReadonlyMap<string, ProfileField> = new Map([
  ...ofUsers(["net_worth_usd"], "worth"),
  ...ofUsers(["volume", "revenue", "points"], "amount"),
  ...ofUsers(["device", "os", "browser", "location"], "text"),
  ...TOUCH_FIELDS.flatMap((name) => ofTouches(name, "text")),
  ...ofTouches("paid_source", "paid_source"),
  ...ofUsers(SOCIAL_KEYS, "social"),
  ...ofUsers(["lifecycle"], "lifecycle"),
  ["chains.balance", { class: "chain_balance", column: "" }],
  ["apps.balance", { class: "app_balance", column: "" }],
  ["tokens.balance", { class: "token_balance", column: "" }],
  ["labels.value", { class: "label", column: "" }],
]);

export const PROFILE_FIELDS: readonly string[] = [...FIELDS.keys()];

/** Also by its bare name, without `users.`, as segments have it. Undefined: there is no such field. */
export function findProfileField(name: string): ProfileField | undefined {
  return FIELDS.get(name) ?? FIELDS.get(`users.${name}`);
}

export const ORDERS = [
  "last_onchain",
  "first_onchain",
  "net_worth_usd",
  "updated_at",
  "tx_count",
  "first_seen",
  "last_seen",
  "num_sessions",
  "transactions",
  "revenue",
  "volume",
  "points",
] as const;
export type ProfileOrder = (typeof ORDERS)[number];

export const EXPANSIONS = ["apps", "chains", "tokens", "labels"] as const;
export type Expansion = (typeof EXPANSIONS)[number];
