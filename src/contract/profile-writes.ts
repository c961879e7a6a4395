/** What an app may say about wallets: properties, labels, imports. */
import { PROPERTY_KEYS } from "./profile-fields.ts";
import { PROFILE_PROJECT } from "./profiles.ts";
import { NO_NUL } from "./texts.ts";
import { Type } from "./type.ts";

export const WALLET_LIMITS = {
  valueChars: 2048,
  tagChars: 128,
  chainChars: 64,
  /** Wallets of a batch. */
  batch: 100,
  /** Wallets of an import: as many addresses as a body of 1 MiB holds. */
  imported: 20_000,
} as const;

/** The mark of a removed value. It is no value. */
export const TOMBSTONE = "_is_deleted";

const value = (options = {}) =>
  Type.String({
    minLength: 1,
    maxLength: WALLET_LIMITS.valueChars,
    pattern: `^(?!${TOMBSTONE}$)[^\\x00]*$`,
    ...options,
  });

export const WalletWriteQuery = Type.Object({ project_id: PROFILE_PROJECT });

export const PropertiesBody = Type.Object(
  Object.fromEntries(
    PROPERTY_KEYS.map((key) => [key, Type.Optional(key === "user_id" ? value() : Type.Union([value(), Type.Null()]))]),
  ),
  { minProperties: 1, additionalProperties: false, description: "Null unsets a property. `user_id` cannot be unset." },
);

export const PropertiesAnswer = Type.Object(
  { address: Type.String(), updated_at: Type.String({ format: "date-time" }) },
  { additionalProperties: Type.Union([Type.String(), Type.Null()]), description: "With the keys that were set." },
);

const rowAddress = { address: Type.Optional(Type.Unknown({ description: "EVM or Solana. Names are not looked up." })) };

/** Rows are checked one by one: a bad one is set aside. */
export const PropertiesBatch = Type.Array(
  Type.Object(rowAddress, { description: `With the keys ${PROPERTY_KEYS.join(", ")}; other keys are ignored.` }),
  { minItems: 1, maxItems: WALLET_LIMITS.batch },
);

const tag = Type.String({
  minLength: 1,
  maxLength: WALLET_LIMITS.tagChars,
  pattern: "^(?=.*\\S)[^\\x00]*$",
  description: "The name of the label; trimmed, and in lower case.",
  example: "tier",
});
const chain = Type.String({
  maxLength: WALLET_LIMITS.chainChars,
  pattern: NO_NUL,
  description: "The chain that the label is about; without it: none.",
  example: "1",
});

const LabelInput = Type.Object(
  {
    tag_id: tag,
    value: Type.Optional(Type.String({ maxLength: WALLET_LIMITS.valueChars, pattern: NO_NUL, example: "gold" })),
    chain_id: Type.Optional(chain),
    timestamp: Type.Optional(
      Type.String({
        maxLength: 64,
        description: "ISO-8601 with its zone, not in the future; without it: now. Of two writes the later one counts.",
        example: "2026-03-31T12:00:00Z",
      }),
    ),
    _is_deleted: Type.Optional(Type.Integer({ minimum: 0, maximum: 1, description: "1 removes the label." })),
  },
  { additionalProperties: false },
);

export const LabelsBody = Type.Union([
  LabelInput,
  Type.Array(LabelInput, { minItems: 1, maxItems: WALLET_LIMITS.batch }),
]);

export const LabelsBatch = Type.Array(
  Type.Object(rowAddress, { description: "With tag_id, value, chain_id, timestamp and _is_deleted of a label." }),
  { minItems: 1, maxItems: WALLET_LIMITS.batch },
);

export const LabelDeletion = Type.Object(
  { tag_id: tag, chain_id: Type.Optional(chain) },
  { additionalProperties: false },
);

const LabelView = Type.Object({
  address: Type.String(),
  tag_id: Type.String(),
  value: Type.String(),
  chain_id: Type.String(),
  source: Type.String(),
  timestamp: Type.String({ format: "date-time" }),
});
export const LabelsAnswer = Type.Union([LabelView, Type.Array(LabelView)]);

export const BatchWriteAnswer = Type.Object({
  successful_rows: Type.Integer({ minimum: 0 }),
  quarantined_rows: Type.Integer({ minimum: 0 }),
  errors: Type.Optional(
    Type.Array(Type.Object({ index: Type.Integer(), address: Type.String(), reason: Type.String() }), {
      description: "Of the rows that were set aside, at most 100.",
    }),
  ),
});

export const ImportBody = Type.Object({
  addresses: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: WALLET_LIMITS.imported,
    description: "EVM or Solana addresses.",
  }),
  rows: Type.Optional(
    Type.Array(
      Type.Object({
        address: Type.Optional(Type.Unknown()),
        properties: Type.Optional(
          Type.Unknown({ description: "With the keys of properties; other keys are ignored." }),
        ),
        labels: Type.Optional(
          Type.Unknown({ description: "An array of labels, with tag_id, value, chain_id, timestamp and _is_deleted." }),
        ),
        timestamp: Type.Optional(
          Type.Unknown({
            description:
              "When the row was true, ISO-8601 with its zone: what was written later stays. Without it: now.",
          }),
        ),
      }),
      { maxItems: WALLET_LIMITS.imported },
    ),
  ),
  writeKey: Type.Optional(
    Type.String({ maxLength: 512, description: "Not needed: the API key says the project. It is not read." }),
  ),
});

export const EraseAnswer = Type.Object({
  id: Type.String({ description: "Of the receipt." }),
  erased_at: Type.String({ format: "date-time" }),
  events: Type.Integer({ minimum: 0 }),
  visitors: Type.Integer({ minimum: 0, description: "Anonymous ids that were seen with this wallet alone." }),
  properties: Type.Integer({ minimum: 0 }),
  labels: Type.Integer({ minimum: 0 }),
  parked: Type.Integer({ minimum: 0, description: "Parked events whose text has the address." }),
  remaining: Type.Array(Type.String(), { description: "What an erasure does not reach." }),
});
