import type { Static } from "typebox";
import { Type } from "./type.ts";

export const FIELD_TYPES = [
  "short_text",
  "long_text",
  "email",
  "url",
  "number",
  "rating",
  "date",
  "select",
  "radio",
  "checkbox",
  "checkbox_group",
  "file",
  "wallet",
  "social",
  "heading",
  "paragraph",
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** Generous for people, yet the largest form and the largest answer stay cheap to store and to send. */
export const FORM_LIMITS = {
  /** A page of the list is counted and skipped over in 3 ms. */
  perWorkspace: 10_000,
  titleChars: 200,
  descriptionChars: 5_000,
  fields: 100,
  labelChars: 300,
  paragraphChars: 5_000,
  helpChars: 1_000,
  options: 200,
  optionChars: 300,
  shortTextChars: 1_000,
  longTextChars: 100_000,
  emailChars: 254,
  urlChars: 2_048,
  identityChars: 200,
  fileNameChars: 255,
  fileTypeChars: 100,
  /** All answers of one submission as JSON: half of the largest request body. */
  answerBytes: 512 * 1024,
  ratingMax: 5,
  pageSize: 200,
  pageNumber: 100_000,
} as const;

const Option = Type.Object({
  label: Type.String({ minLength: 1, maxLength: FORM_LIMITS.optionChars, description: "What people read." }),
  value: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: FORM_LIMITS.optionChars,
      description: "What a submission names; without one, the label.",
    }),
  ),
});

const FieldDraft = Type.Object({
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "On an update: the existing field that is meant. Without one, a field of the same type and key is.",
    }),
  ),
  label: Type.String({
    minLength: 1,
    maxLength: FORM_LIMITS.paragraphChars,
    description:
      "The question, or the text of a heading or paragraph. " +
      `At most ${FORM_LIMITS.labelChars} characters but for a paragraph.`,
  }),
  type: Type.String({ enum: [...FIELD_TYPES] }),
  required: Type.Optional(Type.Boolean({ default: false })),
  help: Type.Optional(Type.String({ maxLength: FORM_LIMITS.helpChars, description: "A hint below the question." })),
  proof: Type.Optional(
    Type.String({
      enum: ["signature"],
      description:
        "For wallet: the answer must be signed by the wallet, an EVM account. Without it, any address is taken.",
    }),
  ),
  options: Type.Optional(
    Type.Array(Option, {
      maxItems: FORM_LIMITS.options,
      description: "For select, radio and checkbox_group, which need at least one.",
    }),
  ),
});

/** The body of a create or update request. */
export const FormBody = Type.Object({
  title: Type.String({ minLength: 1, maxLength: FORM_LIMITS.titleChars }),
  description: Type.Optional(Type.String({ maxLength: FORM_LIMITS.descriptionChars })),
  fields: Type.Array(FieldDraft, { minItems: 1, maxItems: FORM_LIMITS.fields }),
});
export type FormDraft = Static<typeof FormBody>;

const Time = Type.String({ format: "date-time" });

const FormView = Type.Object({
  id: Type.String(),
  title: Type.String(),
  description: Type.String(),
  url: Type.String({ format: "uri", description: "The page people fill in." }),
  fields: Type.Array(
    Type.Object({
      id: Type.String(),
      key: Type.Union([Type.String(), Type.Null()], {
        description: "The answer's name in submissions and webhooks; null for headings and paragraphs.",
      }),
      label: Type.String(),
      type: Type.String({ enum: [...FIELD_TYPES] }),
      required: Type.Boolean(),
      help: Type.String(),
      proof: Type.Optional(Type.String({ enum: ["signature"] })),
      options: Type.Array(Type.Object({ label: Type.String(), value: Type.String() })),
    }),
  ),
  createdAt: Time,
  updatedAt: Time,
});
export type FormView = Static<typeof FormView>;

/** The contract's form response item. Each answer is a further property under its field's key. */
const ResponseItem = Type.Object(
  {
    id: Type.String({ description: "The same as submissionId." }),
    formId: Type.String(),
    formTitle: Type.String(),
    submissionId: Type.String(),
    submittedAt: Time,
  },
  { additionalProperties: true, description: "Besides these, one property per field under its key." },
);

const SubmissionView = Type.Object(
  { ...ResponseItem.properties, spamReason: Type.Optional(Type.String({ description: "Only of suspected spam." })) },
  { additionalProperties: true },
);

export const FormAnswer = Type.Object({ isSuccess: Type.Literal(true), data: FormView });

export const SubmissionAnswer = Type.Object({ isSuccess: Type.Literal(true), data: SubmissionView });

export const FormDeletedAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({ id: Type.String() }),
});

/** A delivery of one submission, in short: the log of its webhook has the attempts. */
const SubmissionDelivery = Type.Object({
  deliveryId: Type.String(),
  webhookId: Type.String(),
  targetUrl: Type.String(),
  state: Type.String({ enum: ["pending", "sending", "delivered", "failed", "skipped", "ended"] }),
  attempts: Type.Integer({ minimum: 0 }),
  settledAt: Type.Union([Time, Type.Null()]),
});

export const SubmissionDeliveriesAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({ deliveries: Type.Array(SubmissionDelivery) }),
});

export const SubmissionDeletedAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({
    id: Type.String(),
    cancelledDeliveries: Type.Integer({ minimum: 0, description: "They were not sent yet, and never will be." }),
    sentTo: Type.Array(Type.String(), {
      description: "Webhook targets that have received the answers, or may have. They keep what they have.",
    }),
  }),
});

export const PollAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({ items: Type.Array(ResponseItem, { maxItems: 10 }) }),
});

export const SubmitAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({ submissionId: Type.String() }),
});

/** For the descriptions of lists with possibly large entries. */
export const PAGE_NOTE =
  "An answer holds about 8 MiB at most: a page that would be larger is answered by a smaller one that begins at " +
  "the same entry. Its `page` and `size` say so, and `has_more` is true; go on with its `size` and the `page` " +
  "after it.";

const pageFields = {
  total: Type.Integer({ minimum: 0 }),
  page: Type.Integer({ minimum: 1, description: "Counted in pages of `size`." }),
  size: Type.Integer({ minimum: 1, description: "As asked for, or smaller where the entries are large." }),
  has_more: Type.Boolean(),
};
export const FormListAnswer = Type.Object({ data: Type.Array(FormView), ...pageFields });
export const SubmissionListAnswer = Type.Object({ data: Type.Array(SubmissionView), ...pageFields });

const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: FORM_LIMITS.pageNumber, default: 1, description: "From 1." }),
  size: Type.Integer({ minimum: 1, maximum: FORM_LIMITS.pageSize, default: 50, description: "Entries of a page." }),
};
export const FormListQuery = Type.Object(pageQuery);
export const SubmissionListQuery = Type.Object({
  ...pageQuery,
  spam: Type.Boolean({ default: false, description: "`true` lists suspected spam instead of the real submissions." }),
});

export const FormParams = Type.Object({ formId: Type.String({ description: "The form's id." }) });

export const SubmissionParams = Type.Object({
  ...FormParams.properties,
  submissionId: Type.String({ description: "The submission's id." }),
});

/** An object by field `key`. The valid keys and values depend on the form. */
export const SubmissionBody = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "Answers under their field's key. Choices are named by option value, a checkbox group by an array of them; " +
    "`wallet` and `social` take a string or an object with `address`; `file` a name or an object with `name`, " +
    "`size`, `type`.",
});
