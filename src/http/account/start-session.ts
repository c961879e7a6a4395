import { describeAccount } from "../../accounts/describe.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Answer } from "../route.ts";
import { sessionCookie } from "./cookie.ts";
import type { AccountDeps, SessionNeeds } from "./deps.ts";
import { makeKnownCookie } from "./known-client.ts";
import { canSignIn } from "./own-origin.ts";

/** Throws while a session could be read on its way to the browser. */
export function requireSafeCookie(deps: Pick<AccountDeps, "publicApiUrl">): void {
  if (canSignIn(deps.publicApiUrl())) return;
  throw new ApiError(
    "BAD_REQUEST",
    "Signing in needs https, except on this machine: set SEXTANT_PUBLIC_API_URL to the https address that people open",
  );
}

/** The account of the new session, and its cookie. */
export async function answerSession(deps: SessionNeeds, text: string, status: 200 | 201 = 200): Promise<Answer> {
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

export function aboutOf(deps: Pick<AccountDeps, "publicApiUrl" | "eventsUrl" | "version">) {
  return { urls: { api: deps.publicApiUrl(), events: deps.eventsUrl() }, version: deps.version };
}
