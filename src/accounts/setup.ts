import { createHmac, timingSafeEqual } from "node:crypto";
import { lockStart } from "../control/lock-start.ts";
import type { ControlStore, Tx } from "../control/store.ts";
import { addMember, listWorkspacesWithoutOwner } from "./members.ts";
import { createUser, hasUsers, type User } from "./users.ts";

/**
 * Whoever has this token may create the first account. It is derived from the installation's secret, so every node and
 * every start prints the same link and nothing has to be stored. It is worth something only while there is no account.
 */
export function setupToken(secret: Buffer): string {
  return createHmac("sha256", secret).update("sextant setup token").digest("base64url");
}

/** In the fragment, which browsers do not send: the token is in no log of a proxy. */
export function setupUrl(publicApiUrl: string, secret: Buffer): string {
  return `${publicApiUrl}/setup#token=${setupToken(secret)}`;
}

export function isSetupToken(secret: Buffer, sent: string): boolean {
  const [right, given] = [Buffer.from(setupToken(secret)), Buffer.from(sent)];
  return right.length === given.length && timingSafeEqual(right, given);
}

/**
 * Creates the first account, which owns every workspace that has no owner. Undefined if there is an account. The lock
 * makes one of two concurrent requests the first.
 */
export async function createFirstUser(
  store: Pick<ControlStore, "backend">,
  tx: Tx,
  user: { name: string; passwordHash: string },
  nowMs: number,
): Promise<User | undefined> {
  await lockStart(store.backend, tx);
  if (await hasUsers(tx)) return undefined;
  const made = await createUser(tx, user, nowMs);
  if (made === undefined) return undefined;
  for (const workspaceId of await listWorkspacesWithoutOwner(tx))
    await addMember(tx, workspaceId, { userId: made.id, role: "owner" }, nowMs);
  return made;
}
