import type { ControlStore, Tx } from "../control/store.ts";
import type { WarnLog } from "../lib/tolerate.ts";
import { recordAudit } from "./audit.ts";
import type { SignedIn } from "./authenticate-session.ts";
import { endSession } from "./sessions.ts";

/** A request of a person's browser, signed in or about to be. */
export interface Visit {
  /** The user of the cookie. Present on every route for users. */
  signedIn: SignedIn | undefined;
  userAgent: string;
  /** The origin of the page, one of our own. */
  origin: string;
  nowMs: number;
  log: WarnLog;
}

/** The user of a route for users, where the framework has checked that there is one. */
export function getSignedIn({ signedIn }: Pick<Visit, "signedIn">): SignedIn {
  if (signedIn === undefined) throw new Error("a route for users was called without one");
  return signedIn;
}

/** What users do to their own account is in the audit log, too. */
export async function recordOwn(
  tx: Tx,
  visit: Visit,
  entry: { action: string; target: string; details?: Record<string, unknown> },
): Promise<void> {
  const { user } = getSignedIn(visit);
  await recordAudit(tx, null, { userId: user.id, actor: user.name, details: {}, ...entry }, visit.nowMs);
}

export async function endCurrent({ store }: { store: ControlStore }, visit: Visit): Promise<void> {
  const { user, session } = getSignedIn(visit);
  await store.write(async (tx) => {
    await endSession(tx, user.id, session.id);
    await recordOwn(tx, visit, { action: "signOut", target: session.id });
  });
}
