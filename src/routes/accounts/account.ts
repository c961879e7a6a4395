import { describeAccount, iso } from "../../accounts/describe.ts";
import { requireFreshProof } from "../../accounts/fresh-proof.ts";
import { listMethods } from "../../accounts/methods.ts";
import { invalid } from "../../accounts/new-user.ts";
import { findPasswordProblem } from "../../accounts/passwords.ts";
import { endSession, endSessions, listSessions } from "../../accounts/sessions.ts";
import { startSession } from "../../accounts/start-session.ts";
import { setPasswordHash } from "../../accounts/users.ts";
import { getSignedIn, recordOwn } from "../../accounts/visit.ts";
import {
  AccountAnswer,
  PasswordChangeBody,
  PasswordChangedAnswer,
  SessionEndedAnswer,
  SessionListAnswer,
  SessionParams,
  SessionsEndedAnswer,
} from "../../contract/account.ts";
import { ApiError } from "../../contract/errors.ts";
import { takeOwnAttempt } from "../../http/account/attempts.ts";
import { sessionCookie } from "../../http/account/cookie.ts";
import type { AccountDeps, SessionNeeds } from "../../http/account/deps.ts";
import { aboutOf } from "../../http/account/start-session.ts";
import { accountRoute, type Route, success } from "../../http/route.ts";
import { isId } from "../../lib/ids.ts";

const OWN = { tag: "Account", access: "user" } as const;

type OwnAccountNeeds = SessionNeeds & Pick<AccountDeps, "passwords" | "signInLimits">;

export function accountRoutes(deps: OwnAccountNeeds): Route[] {
  return [
    getAccountRoute(deps),
    changePasswordRoute(deps),
    listSessionsRoute(deps),
    endSessionRoute(deps),
    endOtherSessionsRoute(deps),
  ];
}

const getAccountRoute = (deps: OwnAccountNeeds) =>
  accountRoute({
    ...OWN,
    method: "GET",
    path: "/api/account",
    operationId: "getAccount",
    summary: "Who is signed in, and what they may do where",
    answers: { 200: AccountAnswer },
    act: async (request) => success(await describeAccount(deps.store.read, getSignedIn(request), aboutOf(deps))),
  });

const changePasswordRoute = (deps: OwnAccountNeeds) =>
  accountRoute({
    ...OWN,
    method: "POST",
    path: "/api/account/password",
    operationId: "changePassword",
    summary: "Change the password",
    description:
      "Ends all other sessions and gives this one a new cookie. `currentPassword` is needed if there is one; the first password needs a sign-in of the last minutes. `otherMethods` still sign in: remove those that are not yours.",
    body: PasswordChangeBody,
    answers: { 200: PasswordChangedAnswer },
    act: async (request) => {
      const { user, session } = getSignedIn(request);
      const { currentPassword, newPassword } = request.body;
      const problem = findPasswordProblem(newPassword, user.name);
      if (problem !== undefined) throw invalid("body.newPassword", problem);
      if (user.passwordHash !== null) {
        await takeOwnAttempt(deps, user.id);
        if (!(await deps.passwords.matches(user.passwordHash, currentPassword ?? "")))
          throw new ApiError("FORBIDDEN", "The current password is wrong", { param: "body.currentPassword" });
      } else requireFreshProof(request);
      const passwordHash = await deps.passwords.hash(newPassword);
      const text = await deps.store.write(async (tx) => {
        await setPasswordHash(tx, user.id, passwordHash);
        await endSessions(tx, user.id);
        await recordOwn(tx, request, { action: "changePassword", target: user.id });
        return startSession(tx, deps.secret, request, user, session.method as "password");
      });
      return {
        status: 200,
        body: { isSuccess: true, data: { changed: true, otherMethods: await listMethods(deps.store.read, user.id) } },
        headers: { "Set-Cookie": sessionCookie(deps.publicApiUrl(), text) },
      };
    },
  });

const listSessionsRoute = (deps: Pick<AccountDeps, "store">) =>
  accountRoute({
    ...OWN,
    method: "GET",
    path: "/api/account/sessions",
    operationId: "listSessions",
    summary: "List the user's sessions, last used first",
    answers: { 200: SessionListAnswer },
    act: async (request) => {
      const { user, session: current } = getSignedIn(request);
      const data = (await listSessions(deps.store.read, user.id, request.nowMs)).map((session) => ({
        id: session.id,
        method: session.method,
        userAgent: session.userAgent,
        createdAt: iso(session.createdAtMs),
        lastSeenAt: iso(session.lastSeenAtMs),
        expiresAt: iso(session.expiresAtMs),
        isCurrent: session.id === current.id,
      }));
      return success(data);
    },
  });

const endSessionRoute = (deps: Pick<AccountDeps, "store">) =>
  accountRoute({
    ...OWN,
    method: "DELETE",
    path: "/api/account/sessions/:sessionId",
    operationId: "endSession",
    summary: "End one of the user's sessions",
    description: "It stops working within a second on every node.",
    params: SessionParams,
    answers: { 200: SessionEndedAnswer },
    act: async (request) => {
      const { user } = getSignedIn(request);
      const { sessionId } = request.params;
      await deps.store.write(async (tx) => {
        if (!isId("ses", sessionId) || !(await endSession(tx, user.id, sessionId)))
          throw new ApiError("NOT_FOUND", "There is no such session");
        await recordOwn(tx, request, { action: "endSession", target: sessionId });
      });
      return success({ id: sessionId });
    },
  });

const endOtherSessionsRoute = (deps: Pick<AccountDeps, "store">) =>
  accountRoute({
    ...OWN,
    method: "DELETE",
    path: "/api/account/sessions",
    operationId: "endOtherSessions",
    summary: "End all of the user's sessions but this one",
    answers: { 200: SessionsEndedAnswer },
    act: async (request) => {
      const { user, session } = getSignedIn(request);
      const ended = await deps.store.write(async (tx) => {
        await recordOwn(tx, request, { action: "endOtherSessions", target: user.id });
        return endSessions(tx, user.id, session.id);
      });
      return success({ ended });
    },
  });
