import type { Static } from "typebox";
import { ALERT_OPERATORS } from "./alert-fields.ts";
import { ALERT_LIMITS, RECIPIENT_TYPES, type RecipientType, TRIGGER_TYPES, type TriggerType } from "./alert-limits.ts";
import { PROJECT } from "./analytics.ts";
import { MetricDefinition, MetricStatus } from "./metric-alerts.ts";
import { PAGE_FIELDS, PAGE_QUERY } from "./paging.ts";
import { NO_NUL, ONE_LINE } from "./texts.ts";
import { Type } from "./type.ts";

export { ALERT_LIMITS, type RecipientType, type TriggerType };

const ALERT_STATUSES = ["active", "inactive"] as const;
/** `counted`: more matches of a storm, in one message. */
const FIRING_STATES = ["sent", "muted", "counted"] as const;

const id = (about: string) => Type.String({ minLength: 1, maxLength: 128, description: about });
const time = Type.String({ format: "date-time" });
const nullableTime = Type.Union([time, Type.Null()]);

const filter = Type.Object({
  field: Type.String({ minLength: 1, maxLength: 64, example: "event" }),
  op: Type.Optional(
    // Other spellings are taken, too; a generated client could not tell them apart.
    Type.String({
      minLength: 1,
      maxLength: 32,
      description: `${ALERT_OPERATORS.join(", ")}. \`equals\` if it is absent; of a number, \`gte\`.`,
    }),
  ),
  value: Type.String({ maxLength: ALERT_LIMITS.valueChars, pattern: NO_NUL, example: "purchase" }),
  numericThreshold: Type.Optional(
    Type.String({ maxLength: 40, description: "Of a user alert: the number that the field is compared with." }),
  ),
});

const recipient = Type.Object({
  type: Type.String({ enum: [...RECIPIENT_TYPES] }),
  value: Type.Array(Type.String({ minLength: 1, maxLength: ALERT_LIMITS.targetChars, pattern: NO_NUL }), {
    maxItems: ALERT_LIMITS.targets,
    description:
      "Where to: URLs for webhook, slack and discord, `<bot token>/<chat id>` for telegram, addresses for email. " +
      "Answers hide secrets by `…`; a value as an answer gave it keeps what is stored.",
  }),
});
const recipients = Type.Array(recipient, { maxItems: RECIPIENT_TYPES.length * 2 });

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: ALERT_LIMITS.nameChars,
    pattern: ONE_LINE,
    description: "What it tells.",
    example: "Large purchase",
  }),
  trigger_type: Type.String({ enum: [...TRIGGER_TYPES] }),
  trigger_filters: Type.Array(filter, {
    maxItems: ALERT_LIMITS.filters,
    description: "Conditions, joined by AND. None: every event, or every wallet.",
  }),
  recipient: recipients,
  secret: Type.Union([Type.String({ maxLength: ALERT_LIMITS.secretChars, pattern: NO_NUL }), Type.Null()], {
    description: "Signs webhooks. It is never answered; `has_secret` says whether there is one.",
  }),
  slack_property_keys: Type.Array(Type.String({ minLength: 1, maxLength: 256, pattern: NO_NUL }), {
    maxItems: ALERT_LIMITS.propertyKeys,
    description: "Properties of the event that messages for people show.",
  }),
  include_imported: Type.Boolean({ description: "True: imported history fires too." }),
  metric: MetricDefinition,
};

const optional = {
  recipient: Type.Optional(fields.recipient),
  secret: Type.Optional(fields.secret),
  slack_property_keys: Type.Optional(fields.slack_property_keys),
  include_imported: Type.Optional(fields.include_imported),
  metric: Type.Optional(fields.metric),
};

export const AlertListQuery = Type.Object({ ...PAGE_QUERY, project_id: PROJECT });
export const AlertParams = Type.Object({ alertId: id("The alert.") });
export const FiringParams = Type.Object({ alertId: id("The alert."), firingId: id("The firing.") });
export const FiringListQuery = Type.Object(PAGE_QUERY);

export const AlertBody = Type.Object({
  name: fields.name,
  trigger_type: fields.trigger_type,
  trigger_filters: fields.trigger_filters,
  ...optional,
  project_id: Type.Optional(id("The project, for a key of a workspace with several projects.")),
});
export type AlertBody = Static<typeof AlertBody>;

export const AlertPreviewBody = Type.Object({
  trigger_type: fields.trigger_type,
  trigger_filters: Type.Optional(fields.trigger_filters),
  include_imported: Type.Optional(fields.include_imported),
  metric: Type.Optional(fields.metric),
  project_id: Type.Optional(id("The project, for a key of a workspace with several projects.")),
});

export const AlertReplacement = Type.Object({
  name: fields.name,
  trigger_type: fields.trigger_type,
  trigger_filters: fields.trigger_filters,
  ...optional,
});

export const AlertChanges = Type.Object(
  {
    status: Type.Optional(Type.String({ enum: [...ALERT_STATUSES] })),
    name: Type.Optional(fields.name),
    trigger_filters: Type.Optional(fields.trigger_filters),
    ...optional,
    muted_until: Type.Optional(
      Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
        description: "Until then it fires, and tells nobody. Null: it tells again.",
      }),
    ),
  },
  { minProperties: 1 },
);
export type AlertChanges = Static<typeof AlertChanges>;

export const AlertView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  project_id: Type.String(),
  trigger_type: fields.trigger_type,
  trigger_filters: Type.Array(filter),
  recipient: Type.Array(Type.Object({ type: Type.String(), value: Type.Array(Type.String()) })),
  slack_property_keys: Type.Array(Type.String()),
  include_imported: Type.Boolean(),
  metric: Type.Union([
    Type.Record(Type.String(), Type.Unknown(), { description: "Of a metric alert: the number and its condition." }),
    Type.Null(),
  ]),
  has_secret: Type.Boolean(),
  status: Type.String({ enum: [...ALERT_STATUSES] }),
  status_reason: Type.Union([Type.String(), Type.Null()], { description: "Why it became inactive by itself." }),
  state: Type.Union([Type.String(), Type.Null()], { description: "Of a metric alert." }),
  evaluation: Type.Union([MetricStatus, Type.Null()], {
    description: "Of a metric alert: the last evaluation. Null: there was none since it was created or changed.",
  }),
  muted_until: nullableTime,
  last_fired_at: nullableTime,
  created_by: Type.Union([Type.Object({ id: Type.String(), name: Type.String() }), Type.Null()]),
  created_at: time,
  updated_at: nullableTime,
});
export type AlertView = Static<typeof AlertView>;
export const AlertListAnswer = Type.Object({ data: Type.Array(AlertView), ...PAGE_FIELDS });
export const AlertDeletedAnswer = Type.Integer({ description: "The number of deleted alerts: 1." });

const reason = Type.Union([Type.String(), Type.Null()], {
  description:
    "Why there was no answer, as `dns`, `connect`, `tls`, `timeout`, or `address` for one that is not public.",
});

const Delivery = Type.Object({
  id: Type.String(),
  channel: Type.String(),
  target: Type.String(),
  state: Type.String(),
  attempts: Type.Integer(),
  settled_at: nullableTime,
  status: Type.Union([Type.Integer(), Type.Null()], { description: "What the target answered last." }),
  reason,
});

export const FiringView = Type.Object({
  id: Type.String(),
  alert_id: Type.String(),
  kind: Type.String({ enum: [...TRIGGER_TYPES] }),
  state: Type.String({ enum: [...FIRING_STATES] }),
  count: Type.Integer({ description: "How many matches it tells about." }),
  details: Type.Record(Type.String(), Type.Unknown()),
  created_at: time,
  deliveries: Type.Array(Delivery),
});
export type FiringView = Static<typeof FiringView>;
export const FiringListAnswer = Type.Object({ data: Type.Array(FiringView), ...PAGE_FIELDS });
export const ResendAnswer = Type.Object({ resent: Type.Integer({ description: "Deliveries that are sent again." }) });

const sample = (about: string) => Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: about }));

export const AlertTestBody = Type.Object({
  sampleEvent: sample("Fields of the event that is sent, for an event alert."),
  sampleUser: sample("Fields of the wallet that is sent, for a user alert."),
  recipientOverrides: Type.Optional(recipients),
});
export type AlertTestBody = Static<typeof AlertTestBody>;

const AlertTestResult = Type.Object({
  url: Type.String({ description: "The target, without its secret." }),
  ok: Type.Boolean(),
  status: Type.Union([Type.Integer(), Type.Null()], {
    description: "Of HTTP, or of SMTP for a mail. Null without an answer.",
  }),
  reason: Type.Union([Type.String(), Type.Null()], {
    description:
      "Why there was no answer, as `dns`, `connect`, `tls`, `timeout`, or `address` for one that is not public. Of a mail " +
      "also `no_mail_server`, `unconfirmed`, `unsubscribed`, `limited` (the mails of a day), and `unsaved` for an address " +
      "that is no recipient of the alert.",
  }),
});
export type AlertTestResult = Static<typeof AlertTestResult>;
export const AlertTestAnswer = Type.Object({
  delivered: Type.Integer(),
  failed: Type.Integer(),
  results: Type.Array(AlertTestResult),
});
