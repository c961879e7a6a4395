/** Who may change whose role. The owner hands ownership over; an admin manages editors and viewers. */
import { ApiError } from "../contract/errors.ts";
import { type MemberRole, rolesGivenBy } from "../contract/member-roles.ts";
import type { Tx } from "../control/store.ts";
import { findMember, removeMember, setRole } from "./members.ts";
import { revokeInvitesOf } from "./one-time-links.ts";

interface Actor {
  userId: string;
  role: MemberRole;
}

export async function changeRole(
  tx: Tx,
  workspaceId: string,
  actor: Actor,
  change: { userId: string; role: MemberRole },
): Promise<void> {
  const target = await findMember(tx, workspaceId, change.userId);
  if (target === undefined) throw noMember();
  if (target.role === "owner")
    throw new ApiError("CONFLICT", "A workspace has one owner: make somebody else the owner instead");
  refuseUnless(actor, target.role);
  refuseUnless(actor, change.role);
  if (change.role === "owner") await giveUpOwnership(tx, workspaceId, actor.userId);
  await setRole(tx, workspaceId, change.userId, change.role);
  await revokeInvitesOf(tx, workspaceId, change.userId);
}

/** The condition on the old role makes one of two concurrent handovers fail. */
async function giveUpOwnership(tx: Tx, workspaceId: string, userId: string): Promise<void> {
  const done = await tx
    .updateTable("members")
    .set({ role: "admin" })
    .where("workspace_id", "=", workspaceId)
    .where("user_id", "=", userId)
    .where("role", "=", "owner")
    .executeTakeFirst();
  if (done.numUpdatedRows !== 1n) throw new ApiError("CONFLICT", "You are no longer the owner");
}

/** Members may leave by themselves, except for the owner. */
export async function dismissMember(tx: Tx, workspaceId: string, actor: Actor, userId: string): Promise<void> {
  const target = await findMember(tx, workspaceId, userId);
  if (target === undefined) throw noMember();
  if (target.role === "owner") throw new ApiError("CONFLICT", "Make somebody else the owner first");
  if (userId !== actor.userId) refuseUnless(actor, target.role);
  await removeMember(tx, workspaceId, userId);
  await revokeInvitesOf(tx, workspaceId, userId);
}

/** Throws 403 unless the actor may give and take this role. */
export function refuseUnless(actor: Pick<Actor, "role">, role: MemberRole): void {
  if (rolesGivenBy(actor.role).includes(role)) return;
  throw new ApiError("FORBIDDEN", `The role ${actor.role} does not manage the role ${role}`);
}

function noMember(): ApiError {
  return new ApiError("NOT_FOUND", "There is no such member");
}
