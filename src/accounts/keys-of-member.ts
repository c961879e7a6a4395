import { listBiTokens } from "../control/bi-tokens.ts";
import { listApiKeys, listWriteKeys } from "../control/keys.ts";
import type { Reader } from "../control/store.ts";

export interface KeyOfMember {
  id: string;
  kind: "api" | "write" | "bi";
  name: string;
}

/** The keys and tokens of a workspace that a user made and that still work. The audit log knows who made them. */
export async function listKeysOfMember(
  db: Reader,
  workspaceId: string,
  userId: string,
  nowMs: number,
): Promise<KeyOfMember[]> {
  const made = await db
    .selectFrom("audit_log")
    .select("target")
    .where("workspace_id", "=", workspaceId)
    .where("user_id", "=", userId)
    .where("action", "in", ["createKey", "createWriteKey", "createBiToken"])
    .execute();
  const ids = new Set(made.map(({ target }) => target));
  const lists = {
    api: await listApiKeys(db, workspaceId),
    write: await listWriteKeys(db, workspaceId),
    bi: await listBiTokens(db, workspaceId),
  } as const;
  return Object.entries(lists).flatMap(([kind, keys]) =>
    keys
      .filter((key) => ids.has(key.id) && key.revokedAtMs === null && (key.expiresAtMs ?? nowMs + 1) > nowMs)
      .map(({ id, name }) => ({ id, kind: kind as KeyOfMember["kind"], name })),
  );
}
