/** BI tokens: passwords with which BI tools read one project through the ClickHouse endpoint. Stored like API keys. */
import { HOUR_MS } from "../lib/time.ts";
import { createRevoke, KEY_COLUMNS, type Key, type KeyRow, type NewKey, newRow, toKey } from "./keys.ts";
import type { Reader, Tx } from "./store.ts";

export interface BiToken extends Key {
  projectId: string;
  /** The hour of the last use; null for never. */
  lastUsedAtMs: number | null;
}

const COLUMNS = [...KEY_COLUMNS, "project_id", "last_used_at"] as const;

export async function createBiToken(
  tx: Tx,
  workspaceId: string,
  secret: Buffer,
  token: NewKey & { projectId: string },
  nowMs: number,
): Promise<BiToken> {
  const row = {
    ...newRow("bit", workspaceId, secret, token, nowMs),
    project_id: token.projectId,
    last_used_at: null,
  };
  await tx.insertInto("bi_tokens").values(row).execute();
  return toBiToken(row);
}

/** Without a tenant, like findApiKeyByHash: it determines the tenant of a request. */
export async function findBiTokenByHash(db: Reader, hash: string): Promise<BiToken | undefined> {
  const row = await db.selectFrom("bi_tokens").select(COLUMNS).where("hash", "=", hash).executeTakeFirst();
  return row && toBiToken(row);
}

export async function listBiTokens(db: Reader, workspaceId: string): Promise<BiToken[]> {
  const rows = db.selectFrom("bi_tokens").select(COLUMNS).where("workspace_id", "=", workspaceId);
  return (await rows.orderBy("created_at").orderBy("id").execute()).map(toBiToken);
}

/** False if the workspace has no such token, or if the token is already revoked. */
export const revokeBiToken = createRevoke("bi_tokens");

/** The hour that `recordUse` would record; undefined if it is recorded. A use every second is no write every second. */
export function findUnrecordedHour(token: BiToken, nowMs: number): number | undefined {
  const hour = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  return token.lastUsedAtMs === null || token.lastUsedAtMs < hour ? hour : undefined;
}

export async function recordUse(tx: Tx, workspaceId: string, tokenId: string, hour: number): Promise<void> {
  await tx
    .updateTable("bi_tokens")
    .set({ last_used_at: hour })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", tokenId)
    .where((is) => is.or([is("last_used_at", "is", null), is("last_used_at", "<", hour)]))
    .execute();
}

function toBiToken(row: KeyRow & { project_id: string; last_used_at: number | null }): BiToken {
  return { ...toKey(row), projectId: row.project_id, lastUsedAtMs: row.last_used_at };
}
