import type { MemberRole } from "../contract/member-roles.ts";
import type { Reader, Tx } from "../control/store.ts";

export interface Membership {
  workspaceId: string;
  role: MemberRole;
}

export interface Member {
  userId: string;
  name: string;
  role: MemberRole;
  joinedAtMs: number;
  lastSeenAtMs: number | null;
}

/** False if the user is a member already. */
export async function addMember(
  tx: Tx,
  workspaceId: string,
  member: { userId: string; role: MemberRole },
  nowMs: number,
): Promise<boolean> {
  const done = await tx
    .insertInto("members")
    .values({ workspace_id: workspaceId, user_id: member.userId, role: member.role, created_at: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return done.numInsertedOrUpdatedRows === 1n;
}

/** In the order in which the user joined. */
export async function listMemberships(db: Reader, userId: string): Promise<Membership[]> {
  const rows = await db
    .selectFrom("members")
    .select(["workspace_id", "role"])
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("workspace_id")
    .execute();
  return rows.map((row) => ({ workspaceId: row.workspace_id, role: row.role as MemberRole }));
}

export async function listMembers(db: Reader, workspaceId: string): Promise<Member[]> {
  const rows = await db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .leftJoin("sessions", "sessions.user_id", "members.user_id")
    .select(["members.user_id", "users.name", "members.role", "members.created_at"])
    .select((e) => e.fn.max("sessions.last_seen_at").as("last_seen_at"))
    .where("members.workspace_id", "=", workspaceId)
    .groupBy(["members.user_id", "users.name", "members.role", "members.created_at"])
    .orderBy("members.created_at")
    .orderBy("members.user_id")
    .execute();
  return rows.map((row) => ({
    userId: row.user_id,
    name: row.name,
    role: row.role as MemberRole,
    joinedAtMs: row.created_at,
    lastSeenAtMs: row.last_seen_at === null ? null : Number(row.last_seen_at),
  }));
}

export async function countMembers(db: Reader, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom("members")
    .select((e) => e.fn.countAll().as("n"))
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
  return Number(row?.n ?? 0);
}

export async function findMember(db: Reader, workspaceId: string, userId: string): Promise<Membership | undefined> {
  const row = await db
    .selectFrom("members")
    .select(["workspace_id", "role"])
    .where("workspace_id", "=", workspaceId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row && { workspaceId: row.workspace_id, role: row.role as MemberRole };
}

export async function setRole(tx: Tx, workspaceId: string, userId: string, role: MemberRole): Promise<boolean> {
  const done = await tx
    .updateTable("members")
    .set({ role })
    .where("workspace_id", "=", workspaceId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

export async function removeMember(tx: Tx, workspaceId: string, userId: string): Promise<boolean> {
  const done = await tx
    .deleteFrom("members")
    .where("workspace_id", "=", workspaceId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return done.numDeletedRows === 1n;
}

/** For the first account: workspaces may be older than accounts. */
export async function listWorkspacesWithoutOwner(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom("workspaces")
    .select("id")
    .where("id", "not in", db.selectFrom("members").select("workspace_id").where("role", "=", "owner"))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}
