/**
 * The deliveries of one submission. They are created in its transaction and carry its time, so the index of ages finds
 * them; the payload says to which submission of that millisecond each belongs.
 */
import { sql } from "kysely";
import type { Reader, Tx } from "../control/store.ts";
import type { DeliveryState } from "./delivery-states.ts";
import { touchLane } from "./lanes.ts";

export interface SubmissionDelivery {
  deliveryId: string;
  webhookId: string;
  targetUrl: string;
  state: DeliveryState;
  attempts: number;
  settledAtMs: number | null;
}

interface Which {
  formId: string;
  /** Has the form of an id. */
  submissionId: string;
  submittedAtMs: number;
}

/** In the order of webhooks. */
export async function listSubmissionDeliveries(
  db: Reader,
  workspaceId: string,
  { formId, submissionId, submittedAtMs }: Which,
): Promise<SubmissionDelivery[]> {
  // A quote within an answer is escaped in JSON, so no answer can imitate the field.
  const field = `"submissionId":"${submissionId}"`;
  const rows = await db
    .selectFrom("deliveries")
    .innerJoin("webhooks", "webhooks.id", "deliveries.webhook_id")
    .select([
      "deliveries.id",
      "deliveries.webhook_id",
      "webhooks.target_url",
      "deliveries.state",
      "deliveries.attempts",
      "deliveries.settled_at",
    ])
    .where("deliveries.created_at", "=", submittedAtMs)
    .where("deliveries.workspace_id", "=", workspaceId)
    .where("webhooks.source_kind", "=", "form")
    .where("webhooks.source_id", "=", formId)
    .where("deliveries.event_type", "=", "FORM_SUBMISSION")
    .where(sql<boolean>`deliveries.payload like ${`%${field.replaceAll("_", "\\_")}%`} escape '\\'`)
    .execute();
  return rows
    .map((row) => ({
      deliveryId: row.id,
      webhookId: row.webhook_id,
      targetUrl: row.target_url,
      state: row.state,
      attempts: row.attempts,
      settledAtMs: row.settled_at,
    }))
    .sort((one, other) => (one.webhookId < other.webhookId ? -1 : 1));
}

/**
 * Erases them with their attempts, whatever their state, and returns them as they were. One that is being sent arrives
 * or not; its worker finds no row to settle, as after a lost lease.
 */
export async function eraseSubmissionDeliveries(
  tx: Tx,
  workspaceId: string,
  which: Which,
): Promise<SubmissionDelivery[]> {
  const found = await listSubmissionDeliveries(tx, workspaceId, which);
  // Lanes are locked before deliveries, as everywhere, so that transactions cannot deadlock.
  for (const { webhookId } of found) await touchLane(tx, webhookId, 0);
  const now = await listSubmissionDeliveries(tx, workspaceId, which);
  const ids = now.map(({ deliveryId }) => deliveryId);
  if (ids.length > 0)
    await tx.deleteFrom("deliveries").where("workspace_id", "=", workspaceId).where("id", "in", ids).execute();
  return now;
}
