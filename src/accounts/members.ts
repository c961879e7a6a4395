import type { MemberRole } from "../contract/member-roles.ts";
import type { Reader, Tx } from "../control/store.ts";

export interface Membership {
  workspaceId: string;
  role: MemberRole;
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
