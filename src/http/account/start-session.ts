import { recordAudit } from "../../accounts/audit.ts";
import { describeAccount } from "../../accounts/describe.ts";
import { createSession, endSession, type SignInMethod } from "../../accounts/sessions.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Tx } from "../../control/store.ts";
import type { Answer } from "../route.ts";
import { sessionCookie } from "./cookie.ts";
import type { AccountDeps, AccountRequest } from "./deps.ts";
import { makeKnownCookie } from "./known-client.ts";
import { canSignIn } from "./own-origin.ts";

/** Throws while a session could be read on its way to the browser. */
export function requireSafeCookie(deps: AccountDeps): void {
  if (canSignIn(deps.publicApiUrl())) return;
  throw new ApiError(
    "BAD_REQUEST",
    "Signing in needs https, except on this machine: set SEXTANT_PUBLIC_API_URL to the https address that people open",
  );
}

/** A new session: never the one whose cookie came with the request, which ends here. Nobody can fix it beforehand. */
export async function createCookieSession(
  tx: Tx,
  deps: AccountDeps,
  request: AccountRequest,
  user: { id: string; name: string },
  method: SignInMethod,
): Promise<string> {
  const { signedIn, userAgent, nowMs } = request;
  if (signedIn) await endSession(tx, signedIn.user.id, signedIn.session.id);
  const made = await createSession(tx, deps.secret, { userId: user.id, method, userAgent }, nowMs);
  const entry = { userId: user.id, actor: user.name, action: "signIn", target: made.id, details: { method } };
  await recordAudit(tx, null, entry, nowMs);
  return made.text;
}

/** The account of the new session, and its cookie. */
export async function answerSession(deps: AccountDeps, text: string, status: 200 | 201 = 200): Promise<Answer> {
  const signedIn = await deps.sessions.find(text);
  if (signedIn === undefined) throw new Error("a new session is not there");
  return {
    status,
    body: { isSuccess: true, data: await describeAccount(deps.store.read, signedIn, aboutOf(deps)) },
    headers: {
      "Set-Cookie": [sessionCookie(deps.publicApiUrl(), text), makeKnownCookie(deps, signedIn.user.name)],
    },
  };
}

export function aboutOf(deps: AccountDeps) {
  return { urls: { api: deps.publicApiUrl(), events: deps.eventsUrl() }, version: deps.version };
}
