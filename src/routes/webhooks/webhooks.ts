import { validationError } from "../../contract/validation-error.ts";
import type { EventType } from "../../contract/webhook-events.ts";
import {
  ChangeWebhookBody,
  DeliveryAnswer,
  DeliveryListAnswer,
  DeliveryListQuery,
  DeliveryParams,
  QueuedAnswer,
  RecoverAnswer,
  RecoverBody,
  RotateAnswer,
  RotateBody,
  SubscribeAnswer,
  SubscribeBody,
  UnsubscribeAnswer,
  UnsubscribeQuery,
  WEBHOOK_LIMITS,
  WebhookAnswer,
  WebhookDeliveryParams,
  WebhookListAnswer,
  WebhookListQuery,
  WebhookParams,
} from "../../contract/webhooks.ts";
import type { TakeTurn } from "../../control/long-list.ts";
import { type Answer, type Route, readRoute, success, writeRoute } from "../../http/route.ts";
import { recover, redeliver, sendTest } from "../../webhooks/resend.ts";
import {
  checkTarget,
  rotateSecret,
  setEnabled,
  subscribe,
  unsubscribe,
  type WebhookContext,
} from "../../webhooks/subscribe.ts";
import { toWebhookView, viewDeliveries, viewDelivery, viewWebhook, viewWebhooks } from "../../webhooks/views.ts";

const TAG = "Webhooks";
const READ = { tag: TAG, access: "forms:read" } as const;
const WRITE = { tag: TAG, access: "forms:write" } as const;

export interface WebhookNeeds {
  /** Encrypts secrets, and knows which targets are allowed. */
  webhooks: WebhookContext;
  /** For the steps of reading a long list. */
  takeTurn: TakeTurn;
}

/** Subscriptions to form events, and their delivery log. */
export function webhookRoutes(needs: WebhookNeeds): Route[] {
  return [
    listWebhooksRoute,
    getWebhookRoute,
    subscribeWebhookRoute(needs),
    changeWebhookRoute,
    deleteWebhookRoute,
    unsubscribeWebhookRoute,
    rotateWebhookSecretRoute(needs),
    listDeliveriesRoute(needs),
    getDeliveryRoute,
    testWebhookRoute,
    redeliverOfWebhookRoute,
    redeliverRoute,
    recoverDeliveriesRoute,
  ];
}

const listWebhooksRoute = readRoute({
  ...READ,
  method: "GET",
  path: "/api/webhooks",
  operationId: "listWebhooks",
  summary: "List webhooks",
  query: WebhookListQuery,
  answers: { 200: WebhookListAnswer },
  handle: async ({ db, key, parts: { query }, nowMs }) => ok(await viewWebhooks(db, key.workspaceId, query, nowMs)),
});

const getWebhookRoute = readRoute({
  ...READ,
  method: "GET",
  path: "/api/webhooks/:webhookId",
  operationId: "getWebhook",
  summary: "View a webhook",
  params: WebhookParams,
  answers: { 200: WebhookAnswer },
  handle: async ({ db, key, parts: { params }, nowMs }) =>
    ok(await viewWebhook(db, key.workspaceId, params.webhookId, nowMs)),
});

const subscribeWebhookRoute = ({ webhooks }: WebhookNeeds) =>
  writeRoute({
    ...WRITE,
    method: "POST",
    path: "/api/webhooks",
    operationId: "subscribeWebhook",
    summary: "Create or update a webhook subscription",
    description: `201 when it is created, with the secret; 200 when the event types are merged into an existing one, which is then active again. At most ${WEBHOOK_LIMITS.perForm} per form.`,
    body: SubscribeBody,
    answers: { 200: SubscribeAnswer, 201: SubscribeAnswer },
    answersSecret: true,
    prepare: ({ parts: { body } }) => checkTarget(body.targetUrl, webhooks.policy),
    handle: async ({ key, parts: { body }, nowMs }, tx) => {
      const wanted = { ...body, eventTypes: body.eventTypes as EventType[] };
      const data = await subscribe(tx, key.workspaceId, wanted, { ...webhooks, nowMs });
      return success(data, data.secret === undefined ? 200 : 201);
    },
  });

const changeWebhookRoute = writeRoute({
  ...WRITE,
  method: "PATCH",
  path: "/api/webhooks/:webhookId",
  operationId: "changeWebhook",
  summary: "Enable or disable a webhook",
  params: WebhookParams,
  body: ChangeWebhookBody,
  answers: { 200: WebhookAnswer },
  wakesDelivery: true,
  handle: async ({ key, parts: { params, body }, nowMs }, tx) => {
    const webhook = await setEnabled(tx, key.workspaceId, params.webhookId, body.enabled, nowMs);
    return success(toWebhookView(webhook, nowMs));
  },
});

const deleteWebhookRoute = writeRoute({
  ...WRITE,
  method: "DELETE",
  path: "/api/webhooks/:webhookId",
  operationId: "deleteWebhook",
  summary: "Delete a webhook",
  description: "What waits for it is not sent any more; its log is erased.",
  params: WebhookParams,
  answers: { 200: UnsubscribeAnswer },
  handle: async ({ key, parts: { params }, nowMs }, tx) =>
    success({ webhookIds: await unsubscribe(tx, key.workspaceId, params, nowMs) }),
});

const unsubscribeWebhookRoute = writeRoute({
  ...WRITE,
  method: "DELETE",
  path: "/api/webhooks",
  operationId: "unsubscribeWebhook",
  summary: "Delete webhooks by id or by target",
  query: UnsubscribeQuery,
  answers: { 200: UnsubscribeAnswer },
  handle: async ({ key, parts: { query }, nowMs }, tx) =>
    success({ webhookIds: await unsubscribe(tx, key.workspaceId, query, nowMs) }),
});

const rotateWebhookSecretRoute = ({ webhooks }: WebhookNeeds) =>
  writeRoute({
    ...WRITE,
    method: "POST",
    path: "/api/webhooks/:webhookId/rotate-secret",
    operationId: "rotateWebhookSecret",
    summary: "Replace a webhook's secret",
    description: `Deliveries carry the signatures of both secrets for ${WEBHOOK_LIMITS.defaultOverlapHours} hours, or as long as asked for.`,
    params: WebhookParams,
    body: RotateBody,
    answers: { 200: RotateAnswer },
    answersSecret: true,
    handle: async ({ key, parts: { params, body }, nowMs }, tx) => {
      const hours = body?.overlapHours ?? WEBHOOK_LIMITS.defaultOverlapHours;
      return success(await rotateSecret(tx, key.workspaceId, params.webhookId, hours, { ...webhooks, nowMs }));
    },
  });

const listDeliveriesRoute = ({ takeTurn }: WebhookNeeds) =>
  readRoute({
    ...READ,
    method: "GET",
    path: "/api/webhooks/:webhookId/deliveries",
    operationId: "listDeliveries",
    summary: "List a webhook's deliveries with every attempt, newest first",
    description: "Kept for 30 days.",
    params: WebhookParams,
    query: DeliveryListQuery,
    answers: { 200: DeliveryListAnswer },
    handle: async ({ db, key, parts: { params, query }, signal }) =>
      ok(await viewDeliveries(db, key.workspaceId, params.webhookId, query, takeTurn, signal)),
  });

const getDeliveryRoute = readRoute({
  ...READ,
  method: "GET",
  path: "/api/webhooks/:webhookId/deliveries/:deliveryId",
  operationId: "getDelivery",
  summary: "View a delivery: what was sent, and what the target answered",
  params: WebhookDeliveryParams,
  answers: { 200: DeliveryAnswer },
  handle: async ({ db, key, parts: { params } }) =>
    ok(await viewDelivery(db, key.workspaceId, params.webhookId, params.deliveryId)),
});

const RESEND = { ...WRITE, method: "POST", wakesDelivery: true } as const;

const testWebhookRoute = writeRoute({
  ...RESEND,
  path: "/api/webhooks/:webhookId/test",
  operationId: "testWebhook",
  summary: "Send a test event",
  params: WebhookParams,
  answers: { 202: QueuedAnswer },
  handle: async ({ key, parts: { params }, nowMs }, tx) =>
    queued(await sendTest(tx, key.workspaceId, params.webhookId, nowMs)),
});

const redeliverOfWebhookRoute = writeRoute({
  ...RESEND,
  path: "/api/webhooks/:webhookId/deliveries/:deliveryId/redeliver",
  operationId: "redeliverOfWebhook",
  summary: "Send a delivery again",
  description: "With the same `webhook-id` and a new round of attempts.",
  params: WebhookDeliveryParams,
  answers: { 202: QueuedAnswer },
  handle: async ({ key, parts: { params }, nowMs }, tx) => queued(await redeliver(tx, key.workspaceId, params, nowMs)),
});

const redeliverRoute = writeRoute({
  ...RESEND,
  path: "/api/webhooks/deliveries/:deliveryId/redeliver",
  operationId: "redeliver",
  summary: "Send a delivery again, by its id alone",
  description: "The id is the `webhook-id` that the target has seen.",
  params: DeliveryParams,
  answers: { 202: QueuedAnswer },
  handle: async ({ key, parts: { params }, nowMs }, tx) => queued(await redeliver(tx, key.workspaceId, params, nowMs)),
});

const recoverDeliveriesRoute = writeRoute({
  ...RESEND,
  path: "/api/webhooks/:webhookId/recover",
  operationId: "recoverDeliveries",
  summary: "Send again what failed or was skipped since a time",
  description: `The oldest first, at most ${WEBHOOK_LIMITS.recoverAtOnce} per call: ask again while \`has_more\` is true.`,
  params: WebhookParams,
  body: RecoverBody,
  answers: { 202: RecoverAnswer },
  handle: async ({ key, parts: { params, body }, nowMs }, tx) =>
    success(await recover(tx, key.workspaceId, params.webhookId, readSince(body.since), nowMs), 202),
});

/** The schema accepts a leap second (23:59:60), which a Date cannot represent. */
function readSince(text: string): number {
  const sinceMs = Date.parse(text);
  if (Number.isNaN(sinceMs)) throw validationError(new Map([["body.since", "must be a time without leap second"]]));
  return sinceMs;
}

function ok(body: object): Answer {
  return { status: 200, body };
}

function queued(deliveryId: string): Answer {
  return success({ deliveryId }, 202);
}
