/** Profiles of wallets: what a client asks, and a profile. */
import type { Static } from "typebox";
import { SEGMENT } from "./analytics.ts";
import { LIFECYCLE_THRESHOLDS } from "./analytics-users.ts";
import { PAGE_FIELDS } from "./paging.ts";
import { EXPANSIONS, ORDERS, PROFILE_FIELDS, PROPERTY_KEYS, QUALIFIERS, TOUCH_FIELDS } from "./profile-fields.ts";
import { Type } from "./type.ts";

export const PROFILE_LIMITS = {
  /** An EVM address has 42 characters, a Solana address up to 44, an ENS name up to 255. */
  addressChars: 255,
  page: { default: 1, minimum: 1, maximum: 100_000 },
  size: { default: 100, minimum: 1, maximum: 1000 },
  searchChars: 255,
  conditions: 20,
  /** Of each list that `expand` adds to a profile. */
  expanded: 50,
} as const;

export const PROFILE_PROJECT = Type.Optional(
  Type.String({
    description: "The project, for a key that sees several projects.",
    minLength: 1,
    maxLength: 128,
  }),
);

const address = Type.String({
  minLength: 1,
  maxLength: PROFILE_LIMITS.addressChars,
  description:
    "An EVM address in any letter case, a Solana address, an address of another chain that an event has, or an ENS name that a wallet of the project has as its property `ens`.",
  example: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
});

export const ProfileParams = Type.Object({ address });

const expand = Type.Optional(
  Type.String({
    maxLength: 64,
    description: `Lists to add, separated by commas: ${EXPANSIONS.join(", ")}. At most ${PROFILE_LIMITS.expanded} apps, chains and tokens each.`,
    example: "labels,chains",
  }),
);
const timestamp = Type.Optional(
  Type.String({
    maxLength: 64,
    description:
      "An ISO-8601 time with its zone: the snapshot of enriched fields next to it. Without a provider these are null at any time.",
    example: "2026-03-31T12:00:00Z",
  }),
);

export const ProfileQuery = Type.Object({ expand, timestamp, ...LIFECYCLE_THRESHOLDS, project_id: PROFILE_PROJECT });
export type ProfileQuery = Static<typeof ProfileQuery>;

export const ProfileSearchQuery = Type.Object({
  address: Type.Optional(address),
  search: Type.Optional(
    Type.String({
      maxLength: PROFILE_LIMITS.searchChars,
      description: "Wallets whose address or one of whose social names contains this text, in any case.",
    }),
  ),
  segment: SEGMENT,
  expand,
  timestamp,
  order_by: Type.String({
    enum: [...ORDERS],
    default: "last_onchain",
    description:
      "Wallets without a net worth come last, by last_seen. What is unknown of all (last_onchain, first_onchain, tx_count) orders as last_seen.",
  }),
  order_dir: Type.String({ enum: ["desc", "asc"], default: "desc" }),
  page: Type.Integer({ ...PROFILE_LIMITS.page, description: "Counted in pages of `size`." }),
  size: Type.Integer({ ...PROFILE_LIMITS.size, description: "Most profiles to return." }),
  ...LIFECYCLE_THRESHOLDS,
  project_id: PROFILE_PROJECT,
});
export type ProfileSearchQuery = Static<typeof ProfileSearchQuery>;

const filter = Type.Object(
  {
    field: Type.String({
      maxLength: 512,
      description: `One of ${PROFILE_FIELDS.join(", ")}.`,
      example: "users.revenue",
    }),
    op: Type.String({ maxLength: 32, example: "gte" }),
    value: Type.Optional(Type.Unknown({ description: "A text, a number, or for in and nin a list.", example: 100 })),
    ...Object.fromEntries(QUALIFIERS.map((name) => [name, Type.Optional(Type.Unknown())])),
  },
  { additionalProperties: false },
);

/** What a schema cannot say of conditions, profiles/read-conditions.ts checks. */
export const ProfileSearchBody = Type.Object(
  {
    filters: Type.Optional(Type.Array(filter, { maxItems: PROFILE_LIMITS.conditions })),
    logic: Type.Optional(
      Type.String({ enum: ["and", "or"], description: "How the conditions are joined: `and` by default." }),
    ),
    conditions: Type.Optional(
      Type.Array(Type.Object({}), {
        maxItems: PROFILE_LIMITS.conditions,
        description: "The older form of `filters`, with paths as `chains.1.balance` and qualifiers as `appId`.",
      }),
    ),
  },
  { additionalProperties: false },
);

const text = Type.Union([Type.String(), Type.Null()]);
const number = Type.Union([Type.Number(), Type.Null()]);
const whole = Type.Union([Type.Integer(), Type.Null()]);
const time = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);
const texts = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, text]));

const CHAIN = Type.Object({
  chain_id: Type.String(),
  net_worth_usd: number,
  tx_count: whole,
  first_onchain: time,
  last_onchain: time,
});
const APP = Type.Object({ chain_id: text, id: Type.String(), name: text, img: text, url: text, balance_usd: number });
const TOKEN = Type.Object({
  chain_id: text,
  token_address: Type.String(),
  app_id: text,
  name: text,
  symbol: text,
  img: text,
  decimals: whole,
  price: number,
  balance: text,
  balance_usd: number,
});
const LABEL = Type.Object({
  id: Type.String(),
  value: Type.String(),
  chain_id: Type.String({ description: "`-`: all chains." }),
  source: Type.String(),
});
const known = <Schema extends Parameters<typeof Type.Array>[0]>(item: Schema) =>
  Type.Optional(Type.Union([Type.Array(item, { maxItems: PROFILE_LIMITS.expanded }), Type.Null()]));

const IDENTITY_KEYS = PROPERTY_KEYS.filter((key) => key !== "location");
const TOUCH_KEYS = [...TOUCH_FIELDS, "paid_source"].flatMap((name) => [`first_${name}`, `last_${name}`]);

/** Null: not known. */
export const ProfileView = Type.Object({
  address: Type.String(),
  net_worth_usd: number,
  tx_count: whole,
  first_onchain: time,
  last_onchain: time,
  updated_at: time,
  ...texts(IDENTITY_KEYS),
  first_seen: time,
  last_seen: time,
  lifecycle: text,
  num_sessions: Type.Integer(),
  events: Type.Integer(),
  transactions: Type.Integer(),
  signatures: Type.Integer(),
  revenue: Type.Number(),
  volume: Type.Number(),
  points: Type.Number(),
  ...texts(["device", "browser", "os", "location"]),
  activity_dates: Type.Array(Type.String({ format: "date" })),
  ...texts(TOUCH_KEYS),
  ...texts(["last_type", "last_event", "last_properties"]),
  imported_at: time,
  chains: known(CHAIN),
  apps: known(APP),
  tokens: known(TOKEN),
  labels: Type.Optional(Type.Array(LABEL)),
});

/** Wallets are never merged: an entry says who was named in the same events. */
export const IdentityListAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      anonymous_id: Type.String({ description: "The visitor." }),
      user_id: Type.String({ description: "Empty: none was named." }),
      address: Type.String({ description: "Empty: no wallet was named." }),
      events: Type.Integer({ minimum: 1 }),
      first_seen: Type.String({ format: "date-time" }),
      last_seen: Type.String({ format: "date-time" }),
    }),
  ),
});

export const IdentityQuery = Type.Object({ project_id: PROFILE_PROJECT });

export const ProfileListAnswer = Type.Object({ data: Type.Array(ProfileView), ...PAGE_FIELDS });
