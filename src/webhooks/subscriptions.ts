/**
 * A subscription of one target URL to the events of one source:
 *
 *   (none) --subscribe--> active --PATCH, or 120 h of failures--> disabled
 *                           |                                        ^
 *                           '--410 from the target--> ended --PATCH--'
 *   disabled, ended --subscribe again, PATCH--> active
 *   any --DELETE, or its source's--> deleted: invisible at once, erased by housekeeping.ts
 *
 * While disabled, new events are kept as skipped deliveries; while ended, none are created. Every change makes the lane
 * due, so that the worker checks its pending deliveries at once.
 */
import { type ExpressionBuilder, sql } from "kysely";
import type { EventType } from "../contract/webhook-events.ts";
import type { ControlSchema } from "../control/schema.ts";
import type { SecretBox } from "../control/secret-box.ts";
import type { Reader, Tx } from "../control/store.ts";
import { isId, newId } from "../lib/ids.ts";
import { isUrlText } from "./address-guard.ts";
import { fromMask, toMask } from "./event-mask.ts";
import type { Source } from "./sources.ts";
import type { Style } from "./styles.ts";

type WebhookStatus = ControlSchema["webhooks"]["status"];
export type StatusReason = ControlSchema["webhooks"]["status_reason"];

export interface Webhook {
  id: string;
  workspaceId: string;
  source: Source;
  targetUrl: string;
  eventTypes: EventType[];
  status: WebhookStatus;
  statusReason: StatusReason;
  statusSinceMs: number;
  lastSuccessAtMs: number | null;
  lastFailureAtMs: number | null;
  failingSinceMs: number | null;
  failures: number;
  previousSecretUntilMs: number | null;
  createdAtMs: number;
}

const COLUMNS = [
  "id",
  "workspace_id",
  "source_kind",
  "source_id",
  "target_url",
  "event_types",
  "status",
  "status_reason",
  "status_since",
  "last_success_at",
  "last_failure_at",
  "failing_since",
  "failures",
  "previous_secret_until",
  "created_at",
] as const;

export async function countWebhooks(db: Reader, workspaceId: string, source?: Source): Promise<number> {
  let query = db
    .selectFrom("webhooks")
    .select((e) => e.fn.countAll<number>().as("n"))
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null);
  query = source === undefined ? query.where("source_kind", "=", "form") : query.where(isOf(source));
  return (await query.executeTakeFirstOrThrow()).n;
}

/** Adds the types to an existing subscription and activates it; undefined if there is none. */
export async function mergeWebhook(
  tx: Tx,
  workspaceId: string,
  wanted: { source: Source; targetUrl: string; eventTypes: readonly EventType[] },
  nowMs: number,
): Promise<Webhook | undefined> {
  const row = await tx
    .updateTable("webhooks")
    .set({ event_types: sql`event_types | ${toMask(wanted.eventTypes)}`, updated_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where(isOf(wanted.source))
    .where("target_url", "=", wanted.targetUrl)
    .where("deleted_at", "is", null)
    .returning(COLUMNS)
    .executeTakeFirst();
  if (!row) return undefined;
  return row.status === "active" ? toWebhook(row) : changeStatus(tx, workspaceId, row.id, "active", null, nowMs);
}

export async function insertWebhook(
  tx: Tx,
  workspaceId: string,
  wanted: {
    source: Source;
    targetUrl: string;
    eventTypes: readonly EventType[];
    style?: Style;
    targetOrigin?: string;
  },
  sealWith: { box: SecretBox; secret: string },
  nowMs: number,
): Promise<string> {
  const id = newId("whk");
  await tx
    .insertInto("webhooks")
    .values({
      id,
      workspace_id: workspaceId,
      source_kind: wanted.source.kind,
      source_id: wanted.source.id,
      style: wanted.style ?? "standard_webhooks",
      target_url: wanted.targetUrl,
      target_origin: wanted.targetOrigin ?? new URL(wanted.targetUrl).origin,
      event_types: toMask(wanted.eventTypes),
      status: "active",
      status_since: nowMs,
      secret: sealWith.box.seal(id, sealWith.secret),
      next_sequence: 1,
      failures: 0,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .execute();
  return id;
}

/** The only function that changes a status. Undefined if the workspace has no such subscription. */
export async function changeStatus(
  tx: Tx,
  workspaceId: string,
  webhookId: string,
  status: WebhookStatus,
  reason: StatusReason,
  nowMs: number,
): Promise<Webhook | undefined> {
  if (!isId("whk", webhookId)) return undefined;
  const row = await tx
    .updateTable("webhooks")
    .set({
      status,
      status_reason: reason,
      status_since: sql`case when status = ${status} then status_since else ${nowMs} end`,
      updated_at: nowMs,
      next_due_at: 0,
      // Earlier failures do not count once a subscription is enabled again.
      ...(status === "active" ? { failing_since: null, failures: 0 } : {}),
    })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", webhookId)
    .where("deleted_at", "is", null)
    .returning(COLUMNS)
    .executeTakeFirst();
  return row && toWebhook(row);
}

/** Of a form, as all that people subscribe: the recipients of an alert are seen with the alert. */
export async function findWebhook(db: Reader, workspaceId: string, webhookId: string): Promise<Webhook | undefined> {
  if (!isId("whk", webhookId)) return undefined;
  const row = await db
    .selectFrom("webhooks")
    .select(COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("source_kind", "=", "form")
    .where("id", "=", webhookId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row && toWebhook(row);
}

export async function listWebhooks(
  db: Reader,
  workspaceId: string,
  filter: { source?: Source; limit: number; offset: number },
): Promise<Webhook[]> {
  let query = db
    .selectFrom("webhooks")
    .select(COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null);
  query = filter.source === undefined ? query.where("source_kind", "=", "form") : query.where(isOf(filter.source));
  const rows = await query.orderBy("created_at").orderBy("id").limit(filter.limit).offset(filter.offset).execute();
  return rows.map(toWebhook);
}

/** Deletes by id, by target, or all of a source. Returns the deleted ids. */
export async function deleteWebhooks(
  tx: Tx,
  workspaceId: string,
  which: { webhookId?: string; targetUrl?: string; source?: Source },
  nowMs: number,
): Promise<string[]> {
  if (which.webhookId !== undefined && !isId("whk", which.webhookId)) return [];
  if (which.targetUrl !== undefined && !isUrlText(which.targetUrl)) return [];
  let query = tx
    .updateTable("webhooks")
    .set({ deleted_at: nowMs, updated_at: nowMs, next_due_at: 0 })
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null);
  if (which.webhookId !== undefined) query = query.where("id", "=", which.webhookId);
  if (which.targetUrl !== undefined) query = query.where("target_url", "=", which.targetUrl);
  query = which.source === undefined ? query.where("source_kind", "=", "form") : query.where(isOf(which.source));
  const rows = await query.returning("id").execute();
  return rows.map((row) => row.id).sort();
}

/** The current secret becomes the previous one, which also signs until `overlapUntilMs`. */
export async function replaceSecret(
  tx: Tx,
  workspaceId: string,
  webhookId: string,
  sealed: string,
  overlapUntilMs: number,
  nowMs: number,
): Promise<boolean> {
  if (!isId("whk", webhookId)) return false;
  const done = await tx
    .updateTable("webhooks")
    .set({
      previous_secret: sql.ref("secret"),
      previous_secret_until: overlapUntilMs,
      secret: sealed,
      updated_at: nowMs,
    })
    .where("workspace_id", "=", workspaceId)
    .where("source_kind", "=", "form")
    .where("id", "=", webhookId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

type Row = Pick<ControlSchema["webhooks"], "status" | "status_reason"> & {
  id: string;
  workspace_id: string;
  source_kind: Source["kind"];
  source_id: string;
  target_url: string;
  event_types: number;
  status_since: number;
  last_success_at: number | null;
  last_failure_at: number | null;
  failing_since: number | null;
  failures: number;
  previous_secret_until: number | null;
  created_at: number;
};

function isOf({ kind, id }: Source) {
  return (e: ExpressionBuilder<ControlSchema, "webhooks">) => e.and({ source_kind: kind, source_id: id });
}

function toWebhook(row: Row): Webhook {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    source: { kind: row.source_kind, id: row.source_id },
    targetUrl: row.target_url,
    eventTypes: fromMask(row.event_types),
    status: row.status,
    statusReason: row.status_reason,
    statusSinceMs: row.status_since,
    lastSuccessAtMs: row.last_success_at,
    lastFailureAtMs: row.last_failure_at,
    failingSinceMs: row.failing_since,
    failures: row.failures,
    previousSecretUntilMs: row.previous_secret_until,
    createdAtMs: row.created_at,
  };
}
