import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import type { ControlStore, Reader, Tx } from "../control/store.ts";
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

/** Writes the audit entry in the transaction of the change. `workspaceId` is null for a change of the user's own account. */
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

/** For what must not be named any longer: its entries stay, and name something else. */
export async function renameTarget(tx: Tx, workspaceId: string, target: string, name: string): Promise<void> {
  await tx
    .updateTable("audit_log")
    .set({ target: name })
    .where("workspace_id", "=", workspaceId)
    .where("target", "=", target)
    .execute();
}

/**
 * Newest first: what happened in the workspace, and what its members did to their own accounts since they joined. Their
 * accounts are not the workspace's: what they did before, and the addresses of their wallets, are not shown.
 */
export async function listAudit(
  db: Reader,
  workspaceId: string,
  { page, size }: { page: number; size: number },
): Promise<{ entries: AuditEntry[]; total: number }> {
  const seen = db.selectFrom("audit_log").where((e) => {
    const joinedBefore = e
      .selectFrom("members")
      .select("members.user_id")
      .where("members.workspace_id", "=", workspaceId)
      .whereRef("members.user_id", "=", "audit_log.user_id")
      .whereRef("members.created_at", "<=", "audit_log.at");
    return e.or([e("workspace_id", "=", workspaceId), e.and([e("workspace_id", "is", null), e.exists(joinedBefore)])]);
  });
  const counted = await seen.select((e) => e.fn.countAll().as("n")).executeTakeFirst();
  const rows = await seen
    .select(["id", "workspace_id", "at", "user_id", "actor", "action", "target", "details"])
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(size)
    .offset((page - 1) * size)
    .execute();
  return {
    total: Number(counted?.n ?? 0),
    entries: rows.map((row) => ({
      id: row.id,
      atMs: row.at,
      userId: row.user_id,
      actor: row.actor,
      action: row.action,
      target: row.target,
      details: row.workspace_id === null ? withoutAddress(row.details) : readDetails(row.details),
    })),
  };
}

function readDetails(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

function withoutAddress(text: string): Record<string, unknown> {
  const { address: _hidden, ...details } = readDetails(text);
  return details;
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
