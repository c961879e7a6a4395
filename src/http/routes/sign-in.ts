import { isIP } from "node:net";
import { findPasswordProblem } from "../../accounts/passwords.ts";
import { createFirstUser, isSetupToken } from "../../accounts/setup.ts";
import { findUserByName, hasUsers, readUserName } from "../../accounts/users.ts";
import {
  AccountAnswer,
  PasswordSignInBody,
  SetupBody,
  SignedOutAnswer,
  SignInFactsAnswer,
} from "../../contract/account.ts";
import { ApiError } from "../../contract/errors.ts";
import { takeAttempt } from "../account/attempts.ts";
import { endedSessionCookie } from "../account/cookie.ts";
import { noteFailure } from "../account/note-failure.ts";
import { endCurrent } from "../account/signed-in.ts";
import { answerSession, createCookieSession, requireSafeCookie } from "../account/start-session.ts";
import { accountRoute, type Route } from "../route.ts";

const TAG = "Sign-in";

export function signInRoutes(): Route[] {
  return [
    accountRoute({
      method: "GET",
      path: "/api/sign-in",
      operationId: "getSignIn",
      tag: TAG,
      summary: "How people can sign in here",
      access: "open",
      answers: { 200: SignInFactsAnswer },
      act: async (_request, deps) => {
        const setupOpen = !(await hasUsers(deps.store.read));
        const oidc = deps.oidc === undefined ? null : { name: deps.oidc.name };
        const methods = { password: true, passkey: hasPasskeys(deps.publicApiUrl()), wallet: true, oidc };
        return { status: 200, body: { isSuccess: true, data: { setupOpen, methods } } };
      },
    }),
    accountRoute({
      method: "POST",
      path: "/api/setup",
      operationId: "setUp",
      tag: TAG,
      summary: "Create the first account",
      description: "Exists only while there is no account. The token is in the link that the service prints.",
      access: "open",
      body: SetupBody,
      answers: { 201: AccountAnswer },
      act: async (request, deps) => {
        requireSafeCookie(deps);
        if (await hasUsers(deps.store.read)) throw setupClosed();
        await takeAttempt(deps, request, "setup");
        if (!isSetupToken(deps.secret, request.body.token)) throw setupClosed();
        const user = await readNewUser(request.body, deps.passwords.hash);
        const text = await deps.store.write(async (tx) => {
          const made = await createFirstUser(deps.store, tx, user, request.nowMs);
          if (made === undefined) throw setupClosed();
          return createCookieSession(tx, deps, request, made, "setup");
        });
        return answerSession(deps, text, 201);
      },
    }),
    accountRoute({
      method: "POST",
      path: "/api/sign-in/password",
      operationId: "signInWithPassword",
      tag: TAG,
      summary: "Sign in with name and password",
      access: "open",
      body: PasswordSignInBody,
      answers: { 200: AccountAnswer },
      act: async (request, deps) => {
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
        const text = await deps.store.write((tx) => createCookieSession(tx, deps, request, user, "password"));
        return answerSession(deps, text);
      },
    }),
    accountRoute({
      method: "POST",
      path: "/api/sign-out",
      operationId: "signOut",
      tag: TAG,
      summary: "End this session",
      access: "user",
      answers: { 200: SignedOutAnswer },
      act: async (request, deps) => {
        await endCurrent(deps, request);
        return {
          status: 200,
          body: { isSuccess: true, data: { signedOut: true } },
          headers: { "Set-Cookie": endedSessionCookie(deps.publicApiUrl()) },
        };
      },
    }),
  ];
}

/** A passkey belongs to a domain, never to an address. Loopback has the name localhost, too. */
function hasPasskeys(publicApiUrl: string): boolean {
  const { hostname } = new URL(publicApiUrl);
  return hostname === "127.0.0.1" || hostname === "[::1]" || isIP(hostname.replaceAll(/[[\]]/g, "")) === 0;
}

/** The same for a wrong token and for a closed setup. */
function setupClosed(): ApiError {
  return new ApiError("NOT_FOUND", "There is an account already, or the link is not the one that was printed");
}

/** Checks what a schema cannot, then hashes. */
export async function readNewUser(
  sent: { name: string; password: string },
  hash: (password: string) => Promise<string>,
): Promise<{ name: string; passwordHash: string }> {
  const read = readUserName(sent.name);
  if (read.problem !== undefined) throw invalid("body.name", read.problem);
  const problem = findPasswordProblem(sent.password, read.name);
  if (problem !== undefined) throw invalid("body.password", problem);
  return { name: read.name, passwordHash: await hash(sent.password) };
}

export function invalid(param: string, problem: string): ApiError {
  return new ApiError("INVALID_VALIDATION_REQUEST", `${param} ${problem}`, { param, details: { [param]: problem } });
}
