/** The recipients of a source that sends messages: one subscription for each target. */
import { sql } from "kysely";
import type { SecretBox } from "../control/secret-box.ts";
import type { Backend, Reader, Tx } from "../control/store.ts";
import type { Channel } from "./channels/index.ts";
import type { Source } from "./sources.ts";
import { changeStatus, deleteWebhooks, insertWebhook } from "./subscriptions.ts";

export interface Recipient {
  readonly channel: Channel;
  /** Without a token. One target is one subscription of its source. */
  readonly targetUrl: string;
  readonly targetOrigin: string;
  /** Signs, or opens the target; empty for none. Undefined: as it is stored. */
  readonly secret: string | undefined;
}

export interface StoredRecipient {
  readonly webhookId: string;
  readonly channel: Channel;
  readonly targetUrl: string;
  readonly targetOrigin: string;
  /** False: it failed for days, or its target has ended it. */
  readonly isActive: boolean;
  /** True: its target wants no more, or the owner of the address has unsubscribed. */
  readonly isEnded: boolean;
}

/** In the order of their creation. */
export async function listRecipients(db: Reader, workspaceId: string, source: Source): Promise<StoredRecipient[]> {
  const rows = await db
    .selectFrom("webhooks")
    .select(["id", "style", "target_url", "target_origin", "status"])
    .where("workspace_id", "=", workspaceId)
    .where("source_kind", "=", source.kind)
    .where("source_id", "=", source.id)
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.flatMap(({ id, style, ...row }) =>
    style === "standard_webhooks"
      ? []
      : [
          {
            webhookId: id,
            channel: style,
            targetUrl: row.target_url,
            targetOrigin: row.target_origin,
            isActive: row.status === "active",
            isEnded: row.status === "ended",
          },
        ],
  );
}

/** For requests that are sent at once, as a test. */
export async function listRecipientsWithSecrets(
  db: Reader,
  workspaceId: string,
  source: Source,
  box: SecretBox,
): Promise<(StoredRecipient & Recipient)[]> {
  const known = await listRecipients(db, workspaceId, source);
  const rows = await db
    .selectFrom("webhooks")
    .select(["id", "secret"])
    .where("workspace_id", "=", workspaceId)
    .where("source_kind", "=", source.kind)
    .where("source_id", "=", source.id)
    .execute();
  const sealed = new Map(rows.map(({ id, secret }) => [id, secret]));
  return known.map((one) => ({ ...one, secret: box.open(one.webhookId, sealed.get(one.webhookId) ?? "") }));
}

/** Those that stay keep their log, and are active again; what waits for the others is not sent. */
export async function replaceRecipients(
  tx: Tx,
  workspaceId: string,
  source: Source,
  wanted: readonly Recipient[],
  { box, nowMs }: { box: SecretBox; nowMs: number },
): Promise<void> {
  const known = await listRecipients(tx, workspaceId, source);
  const isSame = (one: Recipient, other: StoredRecipient) =>
    one.targetUrl === other.targetUrl && one.channel === other.channel;
  for (const recipient of known.filter((one) => !wanted.some((other) => isSame(other, one))))
    await deleteRecipient(tx, workspaceId, source, recipient, nowMs);
  for (const recipient of wanted) {
    const stored = known.find((one) => isSame(recipient, one));
    const secret = recipient.secret ?? "";
    const { channel: style, targetUrl, targetOrigin } = recipient;
    if (stored === undefined)
      await insertWebhook(
        tx,
        workspaceId,
        { source, targetUrl, targetOrigin, style, eventTypes: [] },
        { box, secret },
        nowMs,
      );
    else {
      if (!stored.isActive) await changeStatus(tx, workspaceId, stored.webhookId, "active", null, nowMs);
      if (recipient.secret !== undefined)
        await setSecret(tx, workspaceId, stored.webhookId, box.seal(stored.webhookId, secret), nowMs);
    }
  }
}

/**
 * Locks the recipients of several sources until the transaction ends, in the order of their ids, as everywhere. SQLite
 * has one writer.
 */
export async function lockRecipients(
  tx: Tx,
  backend: Backend,
  workspaceId: string,
  { kind, ids }: { kind: Source["kind"]; ids: readonly string[] },
): Promise<void> {
  if (!backend.skipLocked || ids.length === 0) return;
  await tx
    .selectFrom("webhooks")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("source_kind", "=", kind)
    .where("source_id", "in", ids)
    // By bytes, as JavaScript sorts them.
    .orderBy(sql`id collate "C"`)
    .forNoKeyUpdate()
    .execute();
}

export async function deleteRecipients(tx: Tx, workspaceId: string, source: Source, nowMs: number): Promise<void> {
  await deleteWebhooks(tx, workspaceId, { source }, nowMs);
}

async function deleteRecipient(
  tx: Tx,
  workspaceId: string,
  source: Source,
  { webhookId }: StoredRecipient,
  nowMs: number,
): Promise<void> {
  await deleteWebhooks(tx, workspaceId, { source, webhookId }, nowMs);
}

async function setSecret(tx: Tx, workspaceId: string, webhookId: string, secret: string, nowMs: number): Promise<void> {
  await tx
    .updateTable("webhooks")
    .set({ secret, updated_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", webhookId)
    .execute();
}
