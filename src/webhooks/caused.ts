/** The deliveries of one cause, as the firing of an alert: listing them, and sending them again. */
import type { Reader, Tx } from "../control/store.ts";
import type { Channel } from "./channels/index.ts";
import { type DeliveryState, moveDeliveries } from "./delivery-states.ts";
import { touchLane } from "./lanes.ts";
import { MAX_ATTEMPTS } from "./resend.ts";

export interface CausedDelivery {
  id: string;
  channel: Channel;
  targetUrl: string;
  state: DeliveryState;
  attempts: number;
  settledAtMs: number | null;
  /** Of the last attempt: what the target answered, or why there is no answer. */
  status: number | null;
  reason: string | null;
}

/** By cause, in the order of recipients. */
export async function listCaused(
  db: Reader,
  workspaceId: string,
  causeIds: readonly string[],
): Promise<Map<string, CausedDelivery[]>> {
  if (causeIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("deliveries")
    .innerJoin("webhooks", "webhooks.id", "deliveries.webhook_id")
    .leftJoin("delivery_attempts as last", (join) =>
      join.onRef("last.delivery_id", "=", "deliveries.id").onRef("last.number", "=", "deliveries.attempts"),
    )
    .select([
      "deliveries.id",
      "deliveries.cause_id",
      "deliveries.state",
      "deliveries.attempts",
      "deliveries.settled_at",
      "webhooks.style",
      "webhooks.target_url",
      "last.status",
      "last.reason",
    ])
    .where("deliveries.workspace_id", "=", workspaceId)
    .where("deliveries.cause_id", "in", causeIds)
    .orderBy("webhooks.created_at")
    .orderBy("webhooks.id")
    .execute();
  const found = new Map<string, CausedDelivery[]>();
  for (const row of rows) {
    if (row.cause_id === null || row.style === "standard_webhooks") continue;
    const list = found.get(row.cause_id) ?? [];
    found.set(row.cause_id, list);
    const { id, state, attempts, status, reason, style: channel, target_url: targetUrl } = row;
    list.push({ id, channel, targetUrl, state, attempts, settledAtMs: row.settled_at, status, reason });
  }
  return found;
}

/** Sends them again, with a new round of attempts and the same ids. Returns how many: those on their way go on. */
export async function resendCaused(tx: Tx, workspaceId: string, causeId: string, nowMs: number): Promise<number> {
  const rows = await tx
    .selectFrom("deliveries")
    .innerJoin("webhooks", "webhooks.id", "deliveries.webhook_id")
    .select(["deliveries.id", "deliveries.webhook_id"])
    .where("deliveries.workspace_id", "=", workspaceId)
    .where("deliveries.cause_id", "=", causeId)
    .where("deliveries.attempts", "<", MAX_ATTEMPTS)
    .where("webhooks.status", "=", "active")
    .where("webhooks.deleted_at", "is", null)
    .where("deliveries.state", "in", ["delivered", "failed", "skipped", "ended"])
    .execute();
  for (const webhookId of [...new Set(rows.map((row) => row.webhook_id))].sort()) await touchLane(tx, webhookId, 0);
  const ids = rows.map(({ id }) => id);
  return (await moveDeliveries(tx, ids, { step: "again", nowMs, due: { atMs: nowMs, tier: 0 } })).size;
}
