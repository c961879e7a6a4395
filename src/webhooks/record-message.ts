/**
 * The outbox for messages of alerts and schedules: one delivery for each recipient, written as its channel writes it.
 * Its id is made of the message and the recipient: whatever is told again after a restored backup has the same ids, by
 * which receivers know it.
 */
import { createHash } from "node:crypto";
import type { Tx } from "../control/store.ts";
import { type Channel, renderMessage } from "./channels/index.ts";
import type { Message } from "./channels/message.ts";
import { newDelivery, takeSequence } from "./outbox.ts";
import type { Source } from "./sources.ts";

/** Returns the number of deliveries. Subscriptions are locked in the order of their ids, as everywhere. */
export async function recordMessage(
  tx: Tx,
  workspaceId: string,
  { source, message, causeId, nowMs }: { source: Source; message: Message; causeId: string; nowMs: number },
): Promise<number> {
  const rows = [];
  for (const { id: webhookId, style } of await findRecipients(tx, workspaceId, source)) {
    const taken = await takeSequence(tx, webhookId);
    if (!taken) continue;
    const payload = renderMessage(style, message);
    const state = taken.active ? ("pending" as const) : ("skipped" as const);
    const { sequence } = taken;
    const row = newDelivery(workspaceId, { webhookId, type: message.type, sequence, payload, state, nowMs, causeId });
    rows.push({ ...row, id: deliveryId(message.id, webhookId) });
  }
  if (rows.length > 0)
    await tx
      .insertInto("deliveries")
      .values(rows)
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
  return rows.length;
}

function deliveryId(messageId: string, webhookId: string): string {
  return `dlv_${createHash("sha256").update(`${messageId} ${webhookId}`).digest("hex").slice(0, 32)}`;
}

async function findRecipients(tx: Tx, workspaceId: string, source: Source): Promise<{ id: string; style: Channel }[]> {
  const rows = await tx
    .selectFrom("webhooks")
    .select(["id", "style"])
    .where("source_kind", "=", source.kind)
    .where("source_id", "=", source.id)
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null)
    .where("status", "!=", "ended")
    .execute();
  // Sorted here because a database may sort by a locale.
  return rows
    .flatMap(({ id, style }) => (style === "standard_webhooks" ? [] : [{ id, style }]))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
