import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import { ApiError } from "../contract/errors.ts";
import type { Tx } from "../control/store.ts";
import { findSession } from "./sessions.ts";
import { getSignedIn, type Visit } from "./visit.ts";

/**
 * Throws 403 unless the session began a moment ago: whoever stole one could make it permanent by a method of their own.
 * To sign in again is the proof, because every account can do it, also one without a password.
 */
export function requireFreshProof(visit: Visit): void {
  const { session } = getSignedIn(visit);
  if (visit.nowMs - session.createdAtMs < ACCOUNT_LIMITS.freshMinutes * 60_000) return;
  throw new ApiError(
    "FORBIDDEN",
    `Sign in again first: a way to sign in can be added within ${ACCOUNT_LIMITS.freshMinutes} minutes of a sign-in`,
    { param: "session" },
  );
}

/** Whether the session that began something is still there at its end. Read from the store, never from the cache. */
export async function isSessionAlive(
  tx: Tx,
  { userId, sessionId }: { userId?: string; sessionId?: string },
  nowMs: number,
): Promise<boolean> {
  if (userId === undefined || sessionId === undefined) return false;
  const session = await findSession(tx, userId, sessionId);
  return session !== undefined && session.expiresAtMs > nowMs;
}
