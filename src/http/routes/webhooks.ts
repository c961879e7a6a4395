import type { EventType } from "../../contract/event-types.ts";
import { validationError } from "../../contract/validation-error.ts";
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
import { recover, redeliver, sendTest } from "../../webhooks/resend.ts";
import { checkTarget, rotateSecret, setEnabled, subscribe, unsubscribe } from "../../webhooks/subscribe.ts";
import { toWebhookView, viewDeliveries, viewDelivery, viewWebhook, viewWebhooks } from "../../webhooks/views.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../route.ts";

const TAG = "Webhooks";

/** Subscriptions to form events, and their delivery log. */
export function webhookRoutes(): Route[] {
  return [
    ...subscriptionReads(),
    subscribeWebhook(),
    changeWebhook(),
    ...subscriptionDeletes(),
    rotateWebhookSecret(),
    ...deliveryReads(),
    ...deliveryWrites(),
  ];
}

function subscriptionReads(): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/api/webhooks",
      operationId: "listWebhooks",
      tag: TAG,
      summary: "List webhooks",
      access: "forms:read",
      query: WebhookListQuery,
      answers: { 200: WebhookListAnswer },
      handle: async ({ db, key, query, nowMs }) => ok(await viewWebhooks(db, key.workspaceId, query, nowMs)),
    }),
    readRoute({
      method: "GET",
      path: "/api/webhooks/:webhookId",
      operationId: "getWebhook",
      tag: TAG,
      summary: "View a webhook",
      access: "forms:read",
      params: WebhookParams,
      answers: { 200: WebhookAnswer },
      handle: async ({ db, key, params, nowMs }) => ok(await viewWebhook(db, key.workspaceId, params.webhookId, nowMs)),
    }),
  ];
}

function subscribeWebhook(): Route {
  return writeRoute({
    method: "POST",
    path: "/api/webhooks",
    operationId: "subscribeWebhook",
    tag: TAG,
    summary: "Create or update a webhook subscription",
    description: `201 when it is created, with the secret; 200 when the event types are merged into an existing one, which is then active again. At most ${WEBHOOK_LIMITS.perForm} per form.`,
    access: "forms:write",
    body: SubscribeBody,
    answers: { 200: SubscribeAnswer, 201: SubscribeAnswer },
    answersSecret: true,
    prepare: ({ body, webhooks }) => checkTarget(body.targetUrl, webhooks.policy),
    handle: async ({ key, body, webhooks, nowMs }, tx) => {
      const wanted = { ...body, eventTypes: body.eventTypes as EventType[] };
      const data = await subscribe(tx, key.workspaceId, wanted, { ...webhooks, nowMs });
      return { status: data.secret === undefined ? 200 : 201, body: { isSuccess: true, data } };
    },
  });
}

function changeWebhook(): Route {
  return writeRoute({
    method: "PATCH",
    path: "/api/webhooks/:webhookId",
    operationId: "changeWebhook",
    tag: TAG,
    summary: "Enable or disable a webhook",
    access: "forms:write",
    params: WebhookParams,
    body: ChangeWebhookBody,
    answers: { 200: WebhookAnswer },
    wakesDelivery: true,
    handle: async ({ key, params, body, nowMs }, tx) => {
      const webhook = await setEnabled(tx, key.workspaceId, params.webhookId, body.enabled, nowMs);
      return ok({ isSuccess: true, data: toWebhookView(webhook, nowMs) });
    },
  });
}

function subscriptionDeletes(): Route[] {
  return [
    writeRoute({
      method: "DELETE",
      path: "/api/webhooks/:webhookId",
      operationId: "deleteWebhook",
      tag: TAG,
      summary: "Delete a webhook",
      description: "What waits for it is not sent any more; its log is erased.",
      access: "forms:write",
      params: WebhookParams,
      answers: { 200: UnsubscribeAnswer },
      handle: async ({ key, params, nowMs }, tx) =>
        ok({ isSuccess: true, data: { webhookIds: await unsubscribe(tx, key.workspaceId, params, nowMs) } }),
    }),
    writeRoute({
      method: "DELETE",
      path: "/api/webhooks",
      operationId: "unsubscribeWebhook",
      tag: TAG,
      summary: "Delete webhooks by id or by target",
      access: "forms:write",
      query: UnsubscribeQuery,
      answers: { 200: UnsubscribeAnswer },
      handle: async ({ key, query, nowMs }, tx) =>
        ok({ isSuccess: true, data: { webhookIds: await unsubscribe(tx, key.workspaceId, query, nowMs) } }),
    }),
  ];
}

function rotateWebhookSecret(): Route {
  return writeRoute({
    method: "POST",
    path: "/api/webhooks/:webhookId/rotate-secret",
    operationId: "rotateWebhookSecret",
    tag: TAG,
    summary: "Replace a webhook's secret",
    description: `Deliveries carry the signatures of both secrets for ${WEBHOOK_LIMITS.defaultOverlapHours} hours, or as long as asked for.`,
    access: "forms:write",
    params: WebhookParams,
    body: RotateBody,
    answers: { 200: RotateAnswer },
    answersSecret: true,
    handle: async ({ key, params, body, webhooks, nowMs }, tx) => {
      const hours = body?.overlapHours ?? WEBHOOK_LIMITS.defaultOverlapHours;
      const data = await rotateSecret(tx, key.workspaceId, params.webhookId, hours, { ...webhooks, nowMs });
      return ok({ isSuccess: true, data });
    },
  });
}

function deliveryReads(): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/api/webhooks/:webhookId/deliveries",
      operationId: "listDeliveries",
      tag: TAG,
      summary: "List a webhook's deliveries with every attempt, newest first",
      description: "Kept for 30 days.",
      access: "forms:read",
      params: WebhookParams,
      query: DeliveryListQuery,
      answers: { 200: DeliveryListAnswer },
      handle: async ({ db, key, params, query, takeTurn, signal }) =>
        ok(await viewDeliveries(db, key.workspaceId, params.webhookId, query, takeTurn, signal)),
    }),
    readRoute({
      method: "GET",
      path: "/api/webhooks/:webhookId/deliveries/:deliveryId",
      operationId: "getDelivery",
      tag: TAG,
      summary: "View a delivery: what was sent, and what the target answered",
      access: "forms:read",
      params: WebhookDeliveryParams,
      answers: { 200: DeliveryAnswer },
      handle: async ({ db, key, params }) =>
        ok(await viewDelivery(db, key.workspaceId, params.webhookId, params.deliveryId)),
    }),
  ];
}

function deliveryWrites(): Route[] {
  return [
    writeRoute({
      method: "POST",
      path: "/api/webhooks/:webhookId/test",
      operationId: "testWebhook",
      tag: TAG,
      summary: "Send a test event",
      access: "forms:write",
      params: WebhookParams,
      answers: { 202: QueuedAnswer },
      wakesDelivery: true,
      handle: async ({ key, params, nowMs }, tx) =>
        queued(await sendTest(tx, key.workspaceId, params.webhookId, nowMs)),
    }),
    writeRoute({
      method: "POST",
      path: "/api/webhooks/:webhookId/deliveries/:deliveryId/redeliver",
      operationId: "redeliverOfWebhook",
      tag: TAG,
      summary: "Send a delivery again",
      description: "With the same `webhook-id` and a new round of attempts.",
      access: "forms:write",
      params: WebhookDeliveryParams,
      answers: { 202: QueuedAnswer },
      wakesDelivery: true,
      handle: async ({ key, params, nowMs }, tx) => queued(await redeliver(tx, key.workspaceId, params, nowMs)),
    }),
    writeRoute({
      method: "POST",
      path: "/api/webhooks/deliveries/:deliveryId/redeliver",
      operationId: "redeliver",
      tag: TAG,
      summary: "Send a delivery again, by its id alone",
      description: "The id is the `webhook-id` that the target has seen.",
      access: "forms:write",
      params: DeliveryParams,
      answers: { 202: QueuedAnswer },
      wakesDelivery: true,
      handle: async ({ key, params, nowMs }, tx) => queued(await redeliver(tx, key.workspaceId, params, nowMs)),
    }),
    writeRoute({
      method: "POST",
      path: "/api/webhooks/:webhookId/recover",
      operationId: "recoverDeliveries",
      tag: TAG,
      summary: "Send again what failed or was skipped since a time",
      description: `The oldest first, at most ${WEBHOOK_LIMITS.recoverAtOnce} per call: ask again while \`has_more\` is true.`,
      access: "forms:write",
      params: WebhookParams,
      body: RecoverBody,
      answers: { 202: RecoverAnswer },
      wakesDelivery: true,
      handle: async ({ key, params, body, nowMs }, tx) => {
        const data = await recover(tx, key.workspaceId, params.webhookId, readSince(body.since), nowMs);
        return { status: 202, body: { isSuccess: true, data } };
      },
    }),
  ];
}

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
  return { status: 202, body: { isSuccess: true, data: { deliveryId } } };
}
