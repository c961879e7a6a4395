import { recordAudit } from "../../accounts/audit.ts";
import type { SignedIn } from "../../accounts/authenticate-session.ts";
import { endSession } from "../../accounts/sessions.ts";
import type { Tx } from "../../control/store.ts";
import type { AccountDeps, AccountRequest } from "./deps.ts";

/** The user of a route for users, where mount.ts has checked that there is one. */
export function getSignedIn(request: AccountRequest): SignedIn {
  if (request.signedIn === undefined) throw new Error("a route for users was called without one");
  return request.signedIn;
}

/** What users do to their own account is in the audit log, too. */
export async function recordOwn(
  tx: Tx,
  request: AccountRequest,
  entry: { action: string; target: string; details?: Record<string, unknown> },
): Promise<void> {
  const { user } = getSignedIn(request);
  await recordAudit(tx, null, { userId: user.id, actor: user.name, details: {}, ...entry }, request.nowMs);
}

export async function endCurrent(deps: AccountDeps, request: AccountRequest): Promise<void> {
  const { user, session } = getSignedIn(request);
  await deps.store.write(async (tx) => {
    await endSession(tx, user.id, session.id);
    await recordOwn(tx, request, { action: "signOut", target: session.id });
  });
}
