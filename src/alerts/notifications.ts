/** Firings for people in the dashboard: the newest of a project, and which of them a person has not seen. */
import { NOTIFICATION_LIMITS } from "../contract/alert-limits.ts";
import type { Reader, Tx } from "../control/store.ts";

interface Place {
  readonly projectId: string;
  readonly userId: string;
}

export interface Notification {
  readonly id: string;
  readonly alertId: string;
  readonly name: string;
  readonly kind: "event" | "user" | "metric";
  readonly count: number;
  readonly details: Record<string, unknown>;
  readonly createdAtMs: number;
  readonly isUnread: boolean;
}

/** Newest first. Whoever joined later has seen what was before. */
export async function listNotifications(
  db: Reader,
  workspaceId: string,
  { projectId, userId }: Place,
): Promise<{ unread: number; items: Notification[] }> {
  const readAtMs = await findReadAt(db, workspaceId, { projectId, userId });
  const rows = await select(db, workspaceId, projectId)
    .innerJoin("alerts as a", "a.id", "f.alert_id")
    .select(["f.id", "f.alert_id", "a.name", "f.kind", "f.count", "f.details", "f.created_at"])
    .orderBy("f.created_at", "desc")
    .orderBy("f.id", "desc")
    .limit(NOTIFICATION_LIMITS.listed)
    .execute();
  const unread = await select(db, workspaceId, projectId)
    .select("f.id")
    .where("f.created_at", ">", readAtMs)
    .limit(NOTIFICATION_LIMITS.counted + 1)
    .execute();
  const items = rows.map((row) => ({
    ...{ id: row.id, alertId: row.alert_id, name: row.name, kind: row.kind, count: Number(row.count) },
    details: JSON.parse(row.details) as Record<string, unknown>,
    createdAtMs: row.created_at,
    isUnread: row.created_at > readAtMs,
  }));
  return { unread: unread.length, items };
}

/** Muted ones tell nobody. */
function select(db: Reader, workspaceId: string, projectId: string) {
  return db
    .selectFrom("alert_firings as f")
    .where("f.workspace_id", "=", workspaceId)
    .where("f.project_id", "=", projectId)
    .where("f.state", "!=", "muted");
}

async function findReadAt(db: Reader, workspaceId: string, { projectId, userId }: Place): Promise<number> {
  const read = await db
    .selectFrom("alert_reads")
    .select("read_at")
    .where("workspace_id", "=", workspaceId)
    .where("project_id", "=", projectId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  if (read !== undefined) return read.read_at;
  const member = await db
    .selectFrom("members")
    .select("created_at")
    .where("workspace_id", "=", workspaceId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return member?.created_at ?? 0;
}

/** A mark never moves back: two windows of a person may be open. */
export async function markRead(
  tx: Tx,
  workspaceId: string,
  { projectId, userId, untilMs }: Place & { untilMs: number },
): Promise<void> {
  await tx
    .insertInto("alert_reads")
    .values({ workspace_id: workspaceId, project_id: projectId, user_id: userId, read_at: untilMs })
    .onConflict((at) =>
      at
        .columns(["project_id", "user_id"])
        .doUpdateSet({ read_at: untilMs })
        .where("alert_reads.read_at", "<", untilMs),
    )
    .execute();
}
