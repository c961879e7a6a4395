import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import type { ControlStore, Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";

export interface AuditEntry {
  id: string;
  atMs: number;
  /** Null for the command line. */
  userId: string | null;
  /** The name at that time. */
  actor: string;
  /** The name of the operation in openapi.json, or of the command. */
  action: string;
  target: string;
  details: Record<string, unknown>;
}

/** Writes an entry in the transaction of what it is about. Null: about the user's own account. */
export async function recordAudit(
  tx: Tx,
  workspaceId: string | null,
  entry: Omit<AuditEntry, "id" | "atMs">,
  nowMs: number,
): Promise<void> {
  await tx
    .insertInto("audit_log")
    .values({
      id: newId("aud"),
      workspace_id: workspaceId,
      at: nowMs,
      user_id: entry.userId,
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      details: JSON.stringify(entry.details),
    })
    .execute();
}

const PURGE_ROWS = 1_000;

/** Deletes one step of old entries and returns their number. */
export async function purgeAudit(store: ControlStore, nowMs: number): Promise<number> {
  return store.write(async (tx) => {
    const oldest = nowMs - ACCOUNT_LIMITS.auditDays * 86_400_000;
    const old = tx.selectFrom("audit_log").select("id").where("at", "<", oldest).limit(PURGE_ROWS);
    const done = await tx.deleteFrom("audit_log").where("id", "in", old).executeTakeFirst();
    return Number(done.numDeletedRows);
  });
}
