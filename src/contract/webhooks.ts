import { Type } from "./type.ts";
import { EVENT_TYPES } from "./webhook-events.ts";

export const WEBHOOK_LIMITS = {
  perForm: 20,
  perWorkspace: 10_000,
  urlChars: 2_048,
  pageSize: 200,
  pageNumber: 100_000,
  /** One request recovers at most this many deliveries; further requests recover the rest. */
  recoverAtOnce: 2_000,
  overlapHours: 168,
  defaultOverlapHours: 24,
} as const;

const DELIVERY_STATES = ["pending", "sending", "delivered", "failed", "skipped", "ended"] as const;

const id = Type.String({ minLength: 1, maxLength: 128 });
const time = Type.String({ format: "date-time" });
const nullableTime = Type.Union([time, Type.Null()]);
const eventType = Type.String({ enum: [...EVENT_TYPES] });
const targetUrl = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_LIMITS.urlChars,
  description: "Receives a POST for every event. http or https, at a public address.",
});

export const WebhookParams = Type.Object({ webhookId: id });
export const DeliveryParams = Type.Object({ deliveryId: id });
export const WebhookDeliveryParams = Type.Object({ webhookId: id, deliveryId: id });

export const SubscribeBody = Type.Object({
  formId: id,
  targetUrl,
  eventTypes: Type.Array(eventType, {
    minItems: 1,
    maxItems: 20,
    description: "Merged with those of an existing subscription of the same form and target.",
  }),
});

export const SubscribeAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({
    webhookId: Type.String(),
    secret: Type.Optional(
      Type.String({ description: "Verifies the signatures (Standard Webhooks). Shown once, when it is made." }),
    ),
  }),
});

const WebhookView = Type.Object({
  webhookId: Type.String(),
  formId: Type.String(),
  targetUrl: Type.String(),
  eventTypes: Type.Array(eventType),
  enabled: Type.Boolean({ description: "True while events are sent." }),
  status: Type.String({ enum: ["active", "disabled", "ended"] }),
  statusReason: Type.Union([
    Type.String({
      enum: ["user", "failures", "gone"],
      description: "Disabled by a user or after five days of failures, or ended by a 410.",
    }),
    Type.Null(),
  ]),
  statusSince: time,
  createdAt: time,
  lastSuccessAt: nullableTime,
  lastFailureAt: nullableTime,
  failingSince: Type.Union([time, Type.Null()], { description: "The first failure since the last success." }),
  failures: Type.Integer({ minimum: 0, description: "Failed attempts since the last success." }),
  disablesAt: Type.Union([time, Type.Null()], {
    description: "Set after a day of failures: when it will be disabled unless an attempt succeeds.",
  }),
  previousSecretValidUntil: Type.Union([time, Type.Null()], {
    description: "While a rotation lasts: until then the previous secret signs too.",
  }),
});

export const WebhookAnswer = Type.Object({ isSuccess: Type.Literal(true), data: WebhookView });

const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: WEBHOOK_LIMITS.pageNumber, default: 1, description: "From 1." }),
  size: Type.Integer({ minimum: 1, maximum: WEBHOOK_LIMITS.pageSize, default: 50, description: "Entries of a page." }),
};
const pageFields = {
  total: Type.Integer({ minimum: 0 }),
  page: Type.Integer({ minimum: 1 }),
  size: Type.Integer({ minimum: 1 }),
  has_more: Type.Boolean(),
};

export const WebhookListQuery = Type.Object({
  formId: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: "Only those of this form." })),
  ...pageQuery,
});
export const WebhookListAnswer = Type.Object({ data: Type.Array(WebhookView), ...pageFields });

export const ChangeWebhookBody = Type.Object({
  enabled: Type.Boolean({
    description: "False stops deliveries; events are then kept as skipped and can be recovered.",
  }),
});

export const UnsubscribeQuery = Type.Object(
  {
    webhookId: Type.Optional(id),
    targetUrl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: WEBHOOK_LIMITS.urlChars,
        description: "All subscriptions of this target.",
      }),
    ),
  },
  { description: "One of the two." },
);

export const UnsubscribeAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({ webhookIds: Type.Array(Type.String()) }),
});

const AttemptView = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  startedAt: time,
  durationMs: Type.Integer({ minimum: 0 }),
  outcome: Type.String({
    enum: ["answered", "refused", "failed"],
    description: "Refused: the target's address is not one that may be called.",
  }),
  status: Type.Union([Type.Integer(), Type.Null()], { description: "The target's HTTP status." }),
  reason: Type.Union([Type.String(), Type.Null()], { description: "Why there is no status." }),
});

const deliveryFields = {
  deliveryId: Type.String({ description: "Sent as `webhook-id`, the same at every attempt." }),
  webhookId: Type.String(),
  eventType,
  isTest: Type.Boolean({ description: "A test that was asked for; `eventType` is the one it is a sample of." }),
  sequence: Type.Integer({ minimum: 1 }),
  state: Type.String({ enum: [...DELIVERY_STATES] }),
  createdAt: time,
  settledAt: nullableTime,
  nextAttemptAt: nullableTime,
};

const DeliveryView = Type.Object({ ...deliveryFields, attempts: Type.Array(AttemptView) });

export const DeliveryListQuery = Type.Object(pageQuery);
export const DeliveryListAnswer = Type.Object({ data: Type.Array(DeliveryView), ...pageFields });

export const DeliveryAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({
    ...deliveryFields,
    payload: Type.Unknown({ description: "What is sent." }),
    attempts: Type.Array(
      Type.Object({
        ...AttemptView.properties,
        response: Type.Union([Type.String(), Type.Null()], { description: "The first 16 KiB of the target's answer." }),
      }),
    ),
  }),
});

export const QueuedAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({ deliveryId: Type.String() }),
});

export const RecoverBody = Type.Object({
  since: Type.String({ format: "date-time", description: "Events from then on; at most 30 days are kept." }),
});

export const RecoverAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({
    recovered: Type.Integer({ minimum: 0, description: `At most ${WEBHOOK_LIMITS.recoverAtOnce} at once.` }),
    has_more: Type.Boolean({ description: "True when there are more: ask again." }),
  }),
});

export const RotateBody = Type.Object({
  overlapHours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: WEBHOOK_LIMITS.overlapHours,
      default: WEBHOOK_LIMITS.defaultOverlapHours,
      description: "How long the previous secret signs too.",
    }),
  ),
});

export const RotateAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({
    webhookId: Type.String(),
    secret: Type.String(),
    previousSecretValidUntil: time,
  }),
});
