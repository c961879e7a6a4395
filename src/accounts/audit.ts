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

/** Newest first: what happened in the workspace, and what its members did to their own accounts. */
export async function listAudit(
  db: Reader,
  workspaceId: string,
  { page, size }: { page: number; size: number },
): Promise<{ entries: AuditEntry[]; total: number }> {
  const members = db.selectFrom("members").select("user_id").where("workspace_id", "=", workspaceId);
  const seen = db
    .selectFrom("audit_log")
    .where((e) =>
      e.or([e("workspace_id", "=", workspaceId), e.and([e("workspace_id", "is", null), e("user_id", "in", members)])]),
    );
  const counted = await seen.select((e) => e.fn.countAll().as("n")).executeTakeFirst();
  const rows = await seen
    .select(["id", "at", "user_id", "actor", "action", "target", "details"])
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
      details: JSON.parse(row.details) as Record<string, unknown>,
    })),
  };
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
