/**
 * API keys, write keys and BI tokens (bi-tokens.ts): three tables of one shape. A key is stored as a keyed hash, and its
 * revocation is final.
 */
import { SCOPES, type Scope } from "../contract/scopes.ts";
import { newId } from "../lib/ids.ts";
import { hashKey, shownPrefix } from "./key-text.ts";
import type { Reader, Tx } from "./store.ts";

export interface Key {
  id: string;
  workspaceId: string;
  name: string;
  prefix: string;
  createdAtMs: number;
  expiresAtMs: number | null;
  revokedAtMs: number | null;
}

/** A key without a project sees its whole workspace. */
export interface ApiKey extends Key {
  projectId: string | null;
  scopes: readonly Scope[];
}

export interface WriteKey extends Key {
  projectId: string;
}

export interface NewKey {
  text: string;
  name: string;
  expiresAtMs: number | null;
}

interface NewApiKey extends NewKey {
  projectId: string | null;
  scopes: readonly Scope[];
}

interface NewWriteKey extends NewKey {
  projectId: string;
}

export const KEY_COLUMNS = ["id", "workspace_id", "name", "prefix", "created_at", "expires_at", "revoked_at"] as const;
const API_COLUMNS = [...KEY_COLUMNS, "project_id", "scopes"] as const;
const WRITE_COLUMNS = [...KEY_COLUMNS, "project_id"] as const;

export async function createApiKey(
  tx: Tx,
  workspaceId: string,
  secret: Buffer,
  key: NewApiKey,
  nowMs: number,
): Promise<ApiKey> {
  const scopes = SCOPES.filter((scope) => key.scopes.includes(scope)).join(" ");
  const row = { ...newRow("key", workspaceId, secret, key, nowMs), project_id: key.projectId, scopes };
  await tx.insertInto("api_keys").values(row).execute();
  return toApiKey(row);
}

export async function createWriteKey(
  tx: Tx,
  workspaceId: string,
  secret: Buffer,
  key: NewWriteKey,
  nowMs: number,
): Promise<WriteKey> {
  const row = { ...newRow("wrk", workspaceId, secret, key, nowMs), project_id: key.projectId };
  await tx.insertInto("write_keys").values(row).execute();
  return toWriteKey(row);
}

/** The only lookup without a tenant: it determines the tenant of a request. */
export async function findApiKeyByHash(db: Reader, hash: string): Promise<ApiKey | undefined> {
  const row = await db.selectFrom("api_keys").select(API_COLUMNS).where("hash", "=", hash).executeTakeFirst();
  return row && toApiKey(row);
}

export async function listApiKeys(db: Reader, workspaceId: string): Promise<ApiKey[]> {
  const rows = db.selectFrom("api_keys").select(API_COLUMNS).where("workspace_id", "=", workspaceId);
  return (await rows.orderBy("created_at").orderBy("id").execute()).map(toApiKey);
}

export async function listWriteKeys(db: Reader, workspaceId: string): Promise<WriteKey[]> {
  const rows = db.selectFrom("write_keys").select(WRITE_COLUMNS).where("workspace_id", "=", workspaceId);
  return (await rows.orderBy("created_at").orderBy("id").execute()).map(toWriteKey);
}

/** Revoking returns false if the workspace has no such key, or if the key is already revoked. */
export const revokeApiKey = createRevoke("api_keys");
export const revokeWriteKey = createRevoke("write_keys");

export function createRevoke(table: "api_keys" | "write_keys" | "bi_tokens") {
  return async (tx: Tx, workspaceId: string, keyId: string, nowMs: number): Promise<boolean> => {
    const done = await tx
      .updateTable(table)
      .set({ revoked_at: nowMs })
      .where("workspace_id", "=", workspaceId)
      .where("id", "=", keyId)
      .where("revoked_at", "is", null)
      .executeTakeFirst();
    return done.numUpdatedRows === 1n;
  };
}

export function newRow(
  idPrefix: "key" | "wrk" | "bit",
  workspaceId: string,
  secret: Buffer,
  key: NewKey,
  nowMs: number,
) {
  return {
    id: newId(idPrefix),
    workspace_id: workspaceId,
    name: key.name,
    prefix: shownPrefix(key.text),
    hash: hashKey(secret, key.text),
    created_at: nowMs,
    expires_at: key.expiresAtMs,
    revoked_at: null,
  };
}

export type KeyRow = Omit<ReturnType<typeof newRow>, "hash" | "revoked_at"> & { revoked_at: number | null };

export function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    prefix: row.prefix,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
    revokedAtMs: row.revoked_at,
  };
}

function toApiKey(row: KeyRow & { project_id: string | null; scopes: string }): ApiKey {
  const scopes = row.scopes.split(" ").filter((text) => text !== "") as Scope[];
  return { ...toKey(row), projectId: row.project_id, scopes };
}

function toWriteKey(row: KeyRow & { project_id: string }): WriteKey {
  return { ...toKey(row), projectId: row.project_id };
}
