import { isIP } from "node:net";
import { readNewUser } from "../../accounts/new-user.ts";
import { noteFailure } from "../../accounts/note-failure.ts";
import { createFirstUser, isSetupToken } from "../../accounts/setup.ts";
import { startSession } from "../../accounts/start-session.ts";
import { findUserByName, hasUsers } from "../../accounts/users.ts";
import { endCurrent } from "../../accounts/visit.ts";
import {
  AccountAnswer,
  PasswordSignInBody,
  SetupBody,
  SignedOutAnswer,
  SignInFactsAnswer,
} from "../../contract/account.ts";
import { ApiError } from "../../contract/errors.ts";
import { takeAttempt } from "../../http/account/attempts.ts";
import { endedSessionCookie } from "../../http/account/cookie.ts";
import type { AccountDeps, SessionNeeds } from "../../http/account/deps.ts";
import { answerSession, requireSafeCookie } from "../../http/account/start-session.ts";
import { accountRoute, type Route, success } from "../../http/route.ts";

const TAG = "Sign-in";
const OPEN = { tag: TAG, access: "open" } as const;

type SignInNeeds = SessionNeeds & Pick<AccountDeps, "passwords" | "signInLimits" | "oidc">;

export function signInRoutes(deps: SignInNeeds): Route[] {
  return [getSignInRoute(deps), setUpRoute(deps), signInWithPasswordRoute(deps), signOutRoute(deps)];
}

const getSignInRoute = (deps: SignInNeeds) =>
  accountRoute({
    ...OPEN,
    method: "GET",
    path: "/api/sign-in",
    operationId: "getSignIn",
    summary: "How people can sign in here",
    answers: { 200: SignInFactsAnswer },
    act: async () => {
      const setupOpen = !(await hasUsers(deps.store.read));
      const oidc = deps.oidc === undefined ? null : { name: deps.oidc.name };
      const methods = { password: true, passkey: hasPasskeys(deps.publicApiUrl()), wallet: true, oidc };
      return success({ setupOpen, methods });
    },
  });

const signOutRoute = (deps: SignInNeeds) =>
  accountRoute({
    method: "POST",
    path: "/api/sign-out",
    operationId: "signOut",
    tag: TAG,
    summary: "End this session",
    access: "user",
    answers: { 200: SignedOutAnswer },
    act: async (request) => {
      await endCurrent(deps, request);
      return {
        status: 200,
        body: { isSuccess: true, data: { signedOut: true } },
        headers: { "Set-Cookie": endedSessionCookie(deps.publicApiUrl()) },
      };
    },
  });

const setUpRoute = (deps: SignInNeeds) =>
  accountRoute({
    ...OPEN,
    method: "POST",
    path: "/api/setup",
    operationId: "setUp",
    summary: "Create the first account",
    description: "Exists only while there is no account. The token is in the link that the service prints.",
    body: SetupBody,
    answers: { 201: AccountAnswer },
    act: async (request) => {
      requireSafeCookie(deps);
      if (await hasUsers(deps.store.read)) throw setupClosed();
      await takeAttempt(deps, request, "setup");
      if (!isSetupToken(deps.secret, request.body.token)) throw setupClosed();
      const user = await readNewUser(request.body, deps.passwords.hash);
      const text = await deps.store.write(async (tx) => {
        const made = await createFirstUser(deps.store, tx, user, request.nowMs);
        if (made === undefined) throw setupClosed();
        return startSession(tx, deps.secret, request, made, "setup");
      });
      return answerSession(deps, text, 201);
    },
  });

const signInWithPasswordRoute = (deps: SignInNeeds) =>
  accountRoute({
    ...OPEN,
    method: "POST",
    path: "/api/sign-in/password",
    operationId: "signInWithPassword",
    summary: "Sign in with name and password",
    body: PasswordSignInBody,
    answers: { 200: AccountAnswer },
    act: async (request) => {
      requireSafeCookie(deps);
      const { name, password } = request.body;
      const user = await findUserByName(deps.store.read, name);
      const note = (action: "signInFailed" | "signInLocked") => noteFailure(deps, request, user, action, "password");
      await takeAttempt(deps, request, name, () => note("signInLocked"));
      const isRight = await deps.passwords.matches(user?.passwordHash ?? null, password);
      if (user === undefined || !isRight || user.disabledAtMs !== null) {
        note("signInFailed");
        throw new ApiError("UNAUTHORIZED", "Name or password is wrong");
      }
      const text = await deps.store.write((tx) => startSession(tx, deps.secret, request, user, "password"));
      return answerSession(deps, text);
    },
  });

/** A passkey belongs to a domain, never to an address. Loopback has the name localhost, too. */
function hasPasskeys(publicApiUrl: string): boolean {
  const { hostname } = new URL(publicApiUrl);
  return hostname === "127.0.0.1" || hostname === "[::1]" || isIP(hostname.replaceAll(/[[\]]/g, "")) === 0;
}

/** The same for a wrong token and for a closed setup. */
function setupClosed(): ApiError {
  return new ApiError("NOT_FOUND", "There is an account already, or the link is not the one that was printed");
}
