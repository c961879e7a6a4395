import type { Tx } from "../control/store.ts";
import { recordAudit } from "./audit.ts";
import { createSession, endSession, type SignInMethod } from "./sessions.ts";
import type { Visit } from "./visit.ts";

/**
 * Always makes a new session and ends that of the request's cookie. This prevents session fixation. Returns the text of
 * the cookie.
 */
export async function startSession(
  tx: Tx,
  secret: Buffer,
  visit: Pick<Visit, "signedIn" | "userAgent" | "nowMs">,
  user: { id: string; name: string },
  method: SignInMethod,
): Promise<string> {
  const { signedIn, userAgent, nowMs } = visit;
  if (signedIn) await endSession(tx, signedIn.user.id, signedIn.session.id);
  const made = await createSession(tx, secret, { userId: user.id, method, userAgent }, nowMs);
  const entry = { userId: user.id, actor: user.name, action: "signIn", target: made.id, details: { method } };
  await recordAudit(tx, null, entry, nowMs);
  return made.text;
}
