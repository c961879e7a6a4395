/** Invites to a workspace and resets of a password: links whose token works once. Only its keyed hash is stored. */
import { randomBytes } from "node:crypto";
import type { MemberRole } from "../contract/member-roles.ts";
import { hashKey } from "../control/key-text.ts";
import type { Reader, Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";

interface Link {
  id: string;
  note: string;
  createdBy: string;
  createdAtMs: number;
  expiresAtMs: number;
}

export interface Invite extends Link {
  kind: "invite";
  workspaceId: string;
  role: MemberRole;
}

export interface Reset extends Link {
  kind: "reset";
  userId: string;
}

type NewLink = { note: string; createdBy: string; expiresAtMs: number } & (
  | { kind: "invite"; workspaceId: string; role: MemberRole }
  | { kind: "reset"; userId: string }
);

const TOKEN_BYTES = 32;
const COLUMNS = [
  "id",
  "kind",
  "workspace_id",
  "role",
  "user_id",
  "note",
  "created_by",
  "created_at",
  "expires_at",
] as const;

export async function createLink(
  tx: Tx,
  secret: Buffer,
  link: NewLink,
  nowMs: number,
): Promise<{ id: string; token: string }> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const id = newId("lnk");
  await tx
    .insertInto("one_time_links")
    .values({
      id,
      hash: hashLink(secret, token),
      kind: link.kind,
      workspace_id: link.kind === "invite" ? link.workspaceId : null,
      role: link.kind === "invite" ? link.role : null,
      user_id: link.kind === "reset" ? link.userId : null,
      note: link.note,
      created_by: link.createdBy,
      created_at: nowMs,
      expires_at: link.expiresAtMs,
    })
    .execute();
  return { id, token };
}

/** The token is in the fragment, which browsers do not send. */
export function linkUrl(publicApiUrl: string, kind: "invite" | "reset", token: string): string {
  return `${publicApiUrl}/${kind}#token=${token}`;
}

export async function findLink(
  db: Reader,
  secret: Buffer,
  token: string,
  nowMs: number,
): Promise<Invite | Reset | undefined> {
  const row = await db
    .selectFrom("one_time_links")
    .select(COLUMNS)
    .where("hash", "=", hashLink(secret, token))
    .where("expires_at", ">", nowMs)
    .executeTakeFirst();
  return row && toLink(row);
}

/** Finds a link and deletes it, so that nobody else finds it. Undefined for the second of two requests. */
export async function takeLink(
  tx: Tx,
  secret: Buffer,
  token: string,
  nowMs: number,
): Promise<Invite | Reset | undefined> {
  const row = await tx
    .deleteFrom("one_time_links")
    .where("hash", "=", hashLink(secret, token))
    .where("expires_at", ">", nowMs)
    .returning(COLUMNS)
    .executeTakeFirst();
  return row && toLink(row);
}

export async function listInvites(db: Reader, workspaceId: string, nowMs: number): Promise<Invite[]> {
  const rows = await db
    .selectFrom("one_time_links")
    .select(COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("kind", "=", "invite")
    .where("expires_at", ">", nowMs)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
  return rows.map((row) => toLink(row) as Invite);
}

export async function revokeInvite(tx: Tx, workspaceId: string, inviteId: string): Promise<boolean> {
  const done = await tx
    .deleteFrom("one_time_links")
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", inviteId)
    .executeTakeFirst();
  return done.numDeletedRows === 1n;
}

/** Somebody who leaves, or may no longer invite, leaves no open door. */
export async function revokeInvitesOf(tx: Tx, workspaceId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom("one_time_links")
    .where("workspace_id", "=", workspaceId)
    .where("created_by", "=", userId)
    .execute();
}

/** A new link to reset a password makes the older ones worthless. */
export async function revokeResets(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("one_time_links").where("user_id", "=", userId).execute();
}

function hashLink(secret: Buffer, token: string): string {
  return hashKey(secret, `link ${token}`);
}

function toLink(row: {
  id: string;
  kind: "invite" | "reset";
  workspace_id: string | null;
  role: string | null;
  user_id: string | null;
  note: string;
  created_by: string;
  created_at: number;
  expires_at: number;
}): Invite | Reset {
  const link = {
    id: row.id,
    note: row.note,
    createdBy: row.created_by,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
  };
  return row.kind === "invite"
    ? { ...link, kind: "invite", workspaceId: row.workspace_id ?? "", role: (row.role ?? "viewer") as MemberRole }
    : { ...link, kind: "reset", userId: row.user_id ?? "" };
}
