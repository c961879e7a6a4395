import { SCOPES, type Scope } from "../contract/scopes.ts";
import { newId } from "../lib/ids.ts";
import { hashKey, shownPrefix } from "./key-text.ts";
import type { Reader, Tx } from "./store.ts";

export interface ApiKey {
  id: string;
  workspaceId: string;
  projectId: string | null;
  name: string;
  prefix: string;
  scopes: readonly Scope[];
  createdAtMs: number;
  expiresAtMs: number | null;
  revokedAtMs: number | null;
}

export interface NewApiKey {
  text: string;
  name: string;
  projectId: string | null;
  scopes: readonly Scope[];
  expiresAtMs: number | null;
}

const COLUMNS = [
  "id",
  "workspace_id",
  "project_id",
  "name",
  "prefix",
  "scopes",
  "created_at",
  "expires_at",
  "revoked_at",
] as const;

export async function createApiKey(
  tx: Tx,
  workspaceId: string,
  secret: Buffer,
  key: NewApiKey,
  nowMs: number,
): Promise<ApiKey> {
  const row = {
    id: newId("key"),
    workspace_id: workspaceId,
    project_id: key.projectId,
    name: key.name,
    prefix: shownPrefix(key.text),
    hash: hashKey(secret, key.text),
    scopes: SCOPES.filter((scope) => key.scopes.includes(scope)).join(" "),
    created_at: nowMs,
    expires_at: key.expiresAtMs,
    revoked_at: null,
  };
  await tx.insertInto("api_keys").values(row).execute();
  return toApiKey(row);
}

/** The one lookup without a tenant: it is what tells which tenant a request belongs to. */
export async function findApiKeyByHash(db: Reader, hash: string): Promise<ApiKey | undefined> {
  const row = await db.selectFrom("api_keys").select(COLUMNS).where("hash", "=", hash).executeTakeFirst();
  return row && toApiKey(row);
}

export async function listApiKeys(db: Reader, workspaceId: string): Promise<ApiKey[]> {
  const rows = await db
    .selectFrom("api_keys")
    .select(COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toApiKey);
}

/** False when the workspace has no such key, or when it is revoked already. */
export async function revokeApiKey(tx: Tx, workspaceId: string, keyId: string, nowMs: number): Promise<boolean> {
  const done = await tx
    .updateTable("api_keys")
    .set({ revoked_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", keyId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

function toApiKey(row: {
  id: string;
  workspace_id: string;
  project_id: string | null;
  name: string;
  prefix: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}): ApiKey {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    projectId: row.project_id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes.split(" ").filter((text) => text !== "") as Scope[],
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
    revokedAtMs: row.revoked_at,
  };
}
