import { newId } from "../lib/ids.ts";
import { hashKey, shownPrefix } from "./key-text.ts";
import type { Reader, Tx } from "./store.ts";

export interface WriteKey {
  id: string;
  workspaceId: string;
  projectId: string;
  name: string;
  prefix: string;
  createdAtMs: number;
  expiresAtMs: number | null;
  revokedAtMs: number | null;
}

export interface NewWriteKey {
  text: string;
  name: string;
  projectId: string;
  expiresAtMs: number | null;
}

const COLUMNS = [
  "id",
  "workspace_id",
  "project_id",
  "name",
  "prefix",
  "created_at",
  "expires_at",
  "revoked_at",
] as const;

export async function createWriteKey(
  tx: Tx,
  workspaceId: string,
  secret: Buffer,
  key: NewWriteKey,
  nowMs: number,
): Promise<WriteKey> {
  const row = {
    id: newId("wrk"),
    workspace_id: workspaceId,
    project_id: key.projectId,
    name: key.name,
    prefix: shownPrefix(key.text),
    hash: hashKey(secret, key.text),
    created_at: nowMs,
    expires_at: key.expiresAtMs,
    revoked_at: null,
  };
  await tx.insertInto("write_keys").values(row).execute();
  return toWriteKey(row);
}

export async function listWriteKeys(db: Reader, workspaceId: string): Promise<WriteKey[]> {
  const rows = await db
    .selectFrom("write_keys")
    .select(COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toWriteKey);
}

/** False when the workspace has no such key, or when it is revoked already. */
export async function revokeWriteKey(tx: Tx, workspaceId: string, keyId: string, nowMs: number): Promise<boolean> {
  const done = await tx
    .updateTable("write_keys")
    .set({ revoked_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", keyId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

function toWriteKey(row: {
  id: string;
  workspace_id: string;
  project_id: string;
  name: string;
  prefix: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}): WriteKey {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    projectId: row.project_id,
    name: row.name,
    prefix: row.prefix,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
    revokedAtMs: row.revoked_at,
  };
}
