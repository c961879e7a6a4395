/**
 * The outbox. An event inserts its `deliveries` in the transaction that causes it: after a crash both are there or
 * neither. The worker (worker.ts) finds the deliveries when it next polls.
 */
import { sql } from "kysely";
import type { EventType } from "../contract/webhook-events.ts";
import type { Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";
import { toMask } from "./event-mask.ts";
import { type FormSource, SOURCES } from "./sources.ts";

export interface SourceEvent {
  source: FormSource;
  type: EventType;
  body: Record<string, unknown>;
  nowMs: number;
}

/** A larger payload is replaced by a thin one: what happened, and where to fetch it. */
export const PAYLOAD_BYTES = 256 * 1024;
const TITLE_CHARS = 1_000;

/**
 * Inserts one delivery per subscription to the event and returns their number. Subscriptions are locked in the order of
 * their ids, as everywhere, so that transactions cannot deadlock.
 */
export async function recordEvent(tx: Tx, workspaceId: string, event: SourceEvent): Promise<number> {
  const rows = [];
  for (const webhookId of await findSubscribers(tx, workspaceId, event)) {
    const taken = await takeSequence(tx, webhookId);
    if (!taken) continue;
    const state = taken.active ? "pending" : "skipped";
    rows.push(deliveryRow(workspaceId, { ...event, ...taken, webhookId, state }));
  }
  if (rows.length > 0) await tx.insertInto("deliveries").values(rows).execute();
  return rows.length;
}

async function findSubscribers(tx: Tx, workspaceId: string, event: SourceEvent): Promise<string[]> {
  const rows = await tx
    .selectFrom("webhooks")
    .select("id")
    .where("source_kind", "=", event.source.kind)
    .where("source_id", "=", event.source.id)
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null)
    .where("status", "!=", "ended")
    .where(sql<boolean>`event_types & ${toMask([event.type])} != 0`)
    .execute();
  // Sorted here because a database may sort by a locale.
  return rows.map((row) => row.id).sort();
}

/**
 * Takes the next sequence number of a subscription. `active` decides between sending and keeping as skipped. Undefined
 * when the subscription has ended or was deleted.
 */
export async function takeSequence(
  tx: Tx,
  webhookId: string,
): Promise<{ sequence: number; active: boolean } | undefined> {
  const row = await tx
    .updateTable("webhooks")
    .set({
      next_sequence: sql`next_sequence + 1`,
      next_due_at: sql`case when status = 'active' then 0 else next_due_at end`,
    })
    .where("id", "=", webhookId)
    .where("deleted_at", "is", null)
    .where("status", "!=", "ended")
    .returning(["next_sequence", "status"])
    .executeTakeFirst();
  return row && { sequence: row.next_sequence - 1, active: row.status === "active" };
}

export function deliveryRow(
  workspaceId: string,
  event: SourceEvent & { webhookId: string; sequence: number; state: "pending" | "skipped" },
) {
  return {
    ...newDelivery(workspaceId, { ...event, payload: toPayload(event) }),
    id: newId("dlv"),
  };
}

/** A row without an id. */
export function newDelivery(
  workspaceId: string,
  of: {
    webhookId: string;
    type: string;
    sequence: number;
    payload: string;
    state: "pending" | "skipped";
    nowMs: number;
    causeId?: string;
  },
) {
  return {
    workspace_id: workspaceId,
    webhook_id: of.webhookId,
    event_type: of.type,
    sequence: of.sequence,
    payload: of.payload,
    state: of.state,
    tier: 0,
    due_at: of.nowMs,
    tries: 0,
    attempts: 0,
    created_at: of.nowMs,
    settled_at: of.state === "skipped" ? of.nowMs : null,
    cause_id: of.causeId ?? null,
  };
}

function toPayload(event: SourceEvent & { webhookId: string; sequence: number }): string {
  const envelope = { eventType: event.type, webhookId: event.webhookId, sequence: event.sequence };
  const full = JSON.stringify({ ...event.body, ...envelope });
  return Buffer.byteLength(full) <= PAYLOAD_BYTES ? full : JSON.stringify({ ...thin(event), ...envelope });
}

function thin({ source, body }: SourceEvent): Record<string, unknown> {
  const { thinFields, fetchPath } = SOURCES[source.kind];
  const kept = thinFields.flatMap((name) => {
    const value = body[name];
    return typeof value === "string" ? [[name, value.slice(0, TITLE_CHARS)]] : [];
  });
  const fetchFrom = { method: "GET", path: fetchPath(source.id, body) };
  return { ...Object.fromEntries(kept), isThin: true, fetchFrom };
}
