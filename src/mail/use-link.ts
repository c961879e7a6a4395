/** What the owner of an address says by a link in a mail. The link determines the workspace. */
import { sql } from "kysely";
import type { Reader, Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";
import { moveDeliveries } from "../webhooks/delivery-states.ts";
import { touchLane } from "../webhooks/lanes.ts";
import { addressOfTarget, mailboxOf } from "../webhooks/mail-address.ts";
import { changeStatus } from "../webhooks/subscriptions.ts";
import { confirmAddress, type MailAddress } from "./addresses.ts";

/** A recipient of mail, whatever became of it; undefined for one that is erased. */
export async function findLinkedRecipient(
  db: Reader,
  webhookId: string,
): Promise<{ workspaceId: string; address: string } | undefined> {
  const row = await db
    .selectFrom("webhooks")
    .select(["workspace_id", "target_url"])
    .where("id", "=", webhookId)
    .where("style", "=", "email")
    .executeTakeFirst();
  return row && { workspaceId: row.workspace_id, address: addressOfTarget(row.target_url) };
}

/** What waits for it is not sent any more. A recipient that is gone stays so. */
export async function unsubscribe(tx: Tx, workspaceId: string, webhookId: string, nowMs: number): Promise<void> {
  await changeStatus(tx, workspaceId, webhookId, "ended", "gone", nowMs);
}

/** Nothing of this workspace any more, also where the address is not in its list any longer. */
export async function stopAll(tx: Tx, workspaceId: string, address: string, nowMs: number): Promise<void> {
  const mailbox = mailboxOf(address);
  await tx
    .insertInto("mail_addresses")
    .values({
      id: newId("mad"),
      workspace_id: workspaceId,
      address,
      mailbox,
      state: "stopped",
      asks: 0,
      asked_at: nowMs,
      stopped_at: nowMs,
      created_by: null,
      created_at: nowMs,
    })
    .onConflict((conflict) =>
      conflict.columns(["workspace_id", "mailbox"]).doUpdateSet({ state: "stopped", stopped_at: nowMs }),
    )
    .execute();
}

/** False where the link is too old. What has waited for the answer is sent now. */
export async function confirm(tx: Tx, address: MailAddress, nowMs: number): Promise<boolean> {
  if (!(await confirmAddress(tx, address, nowMs))) return false;
  const rows = await tx
    .selectFrom("webhooks")
    .select(["id", "status", "status_reason"])
    .where("workspace_id", "=", address.workspaceId)
    .where("style", "=", "email")
    .where("source_kind", "!=", "mail_address")
    .where(sql<string>`lower(target_url)`, "=", `mailto:${mailboxOf(address.address)}`)
    .where("deleted_at", "is", null)
    .execute();
  for (const { id, status, status_reason: reason } of rows.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    if (status === "disabled" && reason === "failures")
      await changeStatus(tx, address.workspaceId, id, "active", null, nowMs);
    await hurry(tx, id, nowMs);
  }
  return true;
}

async function hurry(tx: Tx, webhookId: string, nowMs: number): Promise<void> {
  await touchLane(tx, webhookId, 0);
  const rows = await tx
    .selectFrom("deliveries")
    .select("id")
    .where("webhook_id", "=", webhookId)
    .where(sql<boolean>`state = 'pending'`)
    .execute();
  const ids = rows.map(({ id }) => id);
  await moveDeliveries(tx, ids, { step: "hurry", nowMs, due: { atMs: nowMs, tier: 0 } });
}
