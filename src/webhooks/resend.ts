/** Deliveries on request: a test, a redelivery, or the recovery of missed ones. */
import { ApiError } from "../contract/errors.ts";
import { WEBHOOK_LIMITS } from "../contract/webhooks.ts";
import type { Tx } from "../control/store.ts";
import { isId } from "../lib/ids.ts";
import { type DeliveryState, inState, moveDeliveries } from "./delivery-states.ts";
import { touchLane } from "./lanes.ts";
import { deliveryRow, takeSequence } from "./outbox.ts";
import { SOURCES } from "./sources.ts";
import { noWebhook } from "./subscribe.ts";
import { findWebhook, type Webhook } from "./subscriptions.ts";

/** Ten rounds of the retry schedule. The limit bounds the log of one delivery. */
export const MAX_ATTEMPTS = 100;

/** Sends a sample event of the subscription, marked with `isTest`. */
export async function sendTest(tx: Tx, workspaceId: string, webhookId: string, nowMs: number): Promise<string> {
  const webhook = await getActive(tx, workspaceId, webhookId);
  const taken = await takeSequence(tx, webhookId);
  if (!taken) throw noWebhook();
  // The subscription may have been disabled since it was read.
  if (!taken.active) throw notActive("disabled");
  const { source } = webhook;
  if (source.kind !== "form") throw noWebhook();
  const [type = "FORM_SUBMISSION"] = webhook.eventTypes;
  const body = await SOURCES[source.kind].sample(tx, workspaceId, source.id, type, nowMs);
  const event = { source, type, body, nowMs };
  const row = deliveryRow(workspaceId, { ...event, webhookId, sequence: taken.sequence, state: "pending" });
  await tx.insertInto("deliveries").values(row).execute();
  return row.id;
}

/** Sends a delivery again, whatever its state, with a new round of attempts and before all retries. */
export async function redeliver(
  tx: Tx,
  workspaceId: string,
  which: { webhookId?: string; deliveryId: string },
  nowMs: number,
): Promise<string> {
  const delivery = await findDelivery(tx, workspaceId, which);
  if (!delivery) throw noDelivery();
  await getActive(tx, workspaceId, delivery.webhookId);
  if (delivery.state === "sending")
    throw new ApiError("CONFLICT", "The delivery is being sent just now: look at its attempts in a moment");
  if (delivery.attempts >= MAX_ATTEMPTS)
    throw new ApiError("CONFLICT", `The delivery has had ${MAX_ATTEMPTS} attempts; that is all it gets`);
  await touchLane(tx, delivery.webhookId, 0);
  const step = delivery.state === "pending" ? "restart" : "again";
  const moved = await moveDeliveries(tx, [which.deliveryId], { step, nowMs, due: { atMs: nowMs, tier: 0 } });
  // The worker may have claimed or settled it since it was read.
  if (moved.size === 0) throw new ApiError("CONFLICT", "The delivery has just changed: look at its attempts");
  return which.deliveryId;
}

/** Sends failed and skipped deliveries since `sinceMs` again, oldest first, after new ones. */
export async function recover(
  tx: Tx,
  workspaceId: string,
  webhookId: string,
  sinceMs: number,
  nowMs: number,
): Promise<{ recovered: number; has_more: boolean }> {
  await getActive(tx, workspaceId, webhookId);
  const rows = await tx
    .selectFrom("deliveries")
    .select("id")
    .where("webhook_id", "=", webhookId)
    .where(inState("failed", "skipped"))
    .where("created_at", ">=", sinceMs)
    .where("attempts", "<", MAX_ATTEMPTS)
    .orderBy("created_at")
    .limit(WEBHOOK_LIMITS.recoverAtOnce + 1)
    .execute();
  const ids = rows.slice(0, WEBHOOK_LIMITS.recoverAtOnce).map((row) => row.id);
  await touchLane(tx, webhookId, 0);
  const moved = await moveDeliveries(tx, ids, { step: "again", nowMs, due: { atMs: 0, tier: 1 } });
  return { recovered: moved.size, has_more: rows.length > ids.length };
}

async function findDelivery(
  tx: Tx,
  workspaceId: string,
  which: { webhookId?: string; deliveryId: string },
): Promise<{ webhookId: string; state: DeliveryState; attempts: number } | undefined> {
  if (!isId("dlv", which.deliveryId) || (which.webhookId !== undefined && !isId("whk", which.webhookId)))
    return undefined;
  let query = tx
    .selectFrom("deliveries")
    .select(["webhook_id", "state", "attempts"])
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", which.deliveryId);
  if (which.webhookId !== undefined) query = query.where("webhook_id", "=", which.webhookId);
  const row = await query.executeTakeFirst();
  return row && { webhookId: row.webhook_id, state: row.state, attempts: row.attempts };
}

async function getActive(tx: Tx, workspaceId: string, webhookId: string): Promise<Webhook> {
  const webhook = await findWebhook(tx, workspaceId, webhookId);
  if (!webhook) throw noWebhook();
  if (webhook.status !== "active") throw notActive(webhook.status);
  return webhook;
}

function notActive(status: string): ApiError {
  return new ApiError("CONFLICT", `The webhook is ${status}: enable it first`, { param: "webhookId" });
}

export function noDelivery(): ApiError {
  return new ApiError("NOT_FOUND", "There is no such delivery", { param: "deliveryId" });
}
