/** Subscriptions and deliveries as clients see them. Neither contains a secret. */
import type { Static } from "typebox";
import type { DeliveryAnswer, DeliveryListAnswer, WebhookAnswer, WebhookListAnswer } from "../contract/webhooks.ts";
import { hasForm } from "../control/form-lookup.ts";
import { approach, type TakeTurn } from "../control/long-list.ts";
import type { Reader } from "../control/store.ts";
import {
  countDeliveries,
  findDeliveryMark,
  findLoggedDelivery,
  type LoggedAttempt,
  type LoggedDelivery,
  listAttempts,
  listDeliveries,
  listResponses,
} from "./delivery-log.ts";
import { DISABLE_AFTER_MS, WARN_AFTER_MS } from "./health.ts";
import { noDelivery } from "./resend.ts";
import { ofForm } from "./sources.ts";
import { noForm, noWebhook } from "./subscribe.ts";
import { countWebhooks, findWebhook, listWebhooks, type Webhook } from "./subscriptions.ts";

interface Page {
  page: number;
  size: number;
}

export async function viewWebhooks(
  db: Reader,
  workspaceId: string,
  query: Page & { formId?: string },
  nowMs: number,
): Promise<Static<typeof WebhookListAnswer>> {
  const { formId } = query;
  if (formId !== undefined && !(await hasForm(db, workspaceId, formId))) throw noForm("query.formId");
  const source = formId === undefined ? undefined : ofForm(formId);
  const total = await countWebhooks(db, workspaceId, source);
  const found = await listWebhooks(db, workspaceId, { ...limits(query), ...(source && { source }) });
  return toPage(
    query,
    total,
    found.map((webhook) => toWebhookView(webhook, nowMs)),
  );
}

export async function viewWebhook(
  db: Reader,
  workspaceId: string,
  webhookId: string,
  nowMs: number,
): Promise<Static<typeof WebhookAnswer>> {
  const webhook = await findWebhook(db, workspaceId, webhookId);
  if (!webhook) throw noWebhook();
  return { isSuccess: true, data: toWebhookView(webhook, nowMs) };
}

export function toWebhookView(webhook: Webhook, nowMs: number): Static<typeof WebhookAnswer>["data"] {
  const { failingSinceMs } = webhook;
  const warned = webhook.status === "active" && failingSinceMs !== null && nowMs - failingSinceMs >= WARN_AFTER_MS;
  const overlaps = (webhook.previousSecretUntilMs ?? 0) > nowMs;
  return {
    webhookId: webhook.id,
    formId: webhook.source.id,
    targetUrl: webhook.targetUrl,
    eventTypes: webhook.eventTypes,
    enabled: webhook.status === "active",
    status: webhook.status,
    statusReason: webhook.statusReason,
    statusSince: iso(webhook.statusSinceMs),
    createdAt: iso(webhook.createdAtMs),
    lastSuccessAt: isoOrNull(webhook.lastSuccessAtMs),
    lastFailureAt: isoOrNull(webhook.lastFailureAtMs),
    failingSince: isoOrNull(failingSinceMs),
    failures: webhook.failures,
    disablesAt: warned ? iso(failingSinceMs + DISABLE_AFTER_MS) : null,
    previousSecretValidUntil: overlaps ? isoOrNull(webhook.previousSecretUntilMs) : null,
  };
}

export async function viewDeliveries(
  db: Reader,
  workspaceId: string,
  webhookId: string,
  query: Page,
  takeTurn: TakeTurn,
  signal?: AbortSignal,
): Promise<Static<typeof DeliveryListAnswer>> {
  if (!(await findWebhook(db, workspaceId, webhookId))) throw noWebhook();
  const { limit, offset } = limits(query);
  const total = await countDeliveries(db, workspaceId, webhookId);
  if (offset >= total) return toPage(query, total, []);
  const findMark = findDeliveryMark(db, workspaceId, webhookId);
  const start = await approach(offset, findMark, () => takeTurn(workspaceId, signal));
  const found = await listDeliveries(db, workspaceId, webhookId, { limit, start });
  const attempts = await listAttempts(
    db,
    found.map((delivery) => delivery.id),
  );
  const views = found.map((delivery) => ({
    ...toDeliveryView(delivery),
    attempts: (attempts.get(delivery.id) ?? []).map(toAttemptView),
  }));
  return toPage(query, total, views);
}

export async function viewDelivery(
  db: Reader,
  workspaceId: string,
  webhookId: string,
  deliveryId: string,
): Promise<Static<typeof DeliveryAnswer>> {
  if (!(await findWebhook(db, workspaceId, webhookId))) throw noWebhook();
  const delivery = await findLoggedDelivery(db, workspaceId, webhookId, deliveryId);
  if (!delivery) throw noDelivery();
  const attempts = (await listAttempts(db, [deliveryId])).get(deliveryId) ?? [];
  const responses = await listResponses(db, deliveryId);
  return {
    isSuccess: true,
    data: {
      ...toDeliveryView(delivery),
      payload: JSON.parse(delivery.payload) as unknown,
      attempts: attempts.map((one) => ({ ...toAttemptView(one), response: responses.get(one.number) ?? null })),
    },
  };
}

function toDeliveryView(delivery: LoggedDelivery) {
  return {
    deliveryId: delivery.id,
    webhookId: delivery.webhookId,
    eventType: delivery.eventType,
    isTest: delivery.isTest,
    sequence: delivery.sequence,
    state: delivery.state,
    createdAt: iso(delivery.createdAtMs),
    settledAt: isoOrNull(delivery.settledAtMs),
    nextAttemptAt: delivery.state === "pending" ? iso(Math.max(delivery.dueAtMs, delivery.createdAtMs)) : null,
  };
}

function toAttemptView({ startedAtMs, ...attempt }: LoggedAttempt) {
  return { ...attempt, startedAt: iso(startedAtMs) };
}

function limits({ page, size }: Page): { limit: number; offset: number } {
  return { limit: size, offset: (page - 1) * size };
}

function toPage<T>({ page, size }: Page, total: number, data: T[]) {
  return { data, total, page, size, has_more: page * size < total };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
