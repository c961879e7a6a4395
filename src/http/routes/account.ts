import { describeAccount, iso } from "../../accounts/describe.ts";
import { listMethods } from "../../accounts/methods.ts";
import { findPasswordProblem } from "../../accounts/passwords.ts";
import { endSession, endSessions, listSessions } from "../../accounts/sessions.ts";
import { setPasswordHash } from "../../accounts/users.ts";
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
import { isId } from "../../lib/ids.ts";
import { takeOwnAttempt } from "../account/attempts.ts";
import { sessionCookie } from "../account/cookie.ts";
import { requireFreshProof } from "../account/fresh-proof.ts";
import { getSignedIn, recordOwn } from "../account/signed-in.ts";
import { aboutOf, createCookieSession } from "../account/start-session.ts";
import { accountRoute, type Route } from "../route.ts";
import { invalid } from "./sign-in.ts";

const TAG = "Account";

export function accountRoutes(): Route[] {
  return [...ownRoutes(), ...sessionRoutes()];
}

function ownRoutes(): Route[] {
  return [
    accountRoute({
      method: "GET",
      path: "/api/account",
      operationId: "getAccount",
      tag: TAG,
      summary: "Who is signed in, and what they may do where",
      access: "user",
      answers: { 200: AccountAnswer },
      act: async (request, deps) => {
        const data = await describeAccount(deps.store.read, getSignedIn(request), aboutOf(deps));
        return { status: 200, body: { isSuccess: true, data } };
      },
    }),
    accountRoute({
      method: "POST",
      path: "/api/account/password",
      operationId: "changePassword",
      tag: TAG,
      summary: "Change the password",
      description:
        "Ends all other sessions and gives this one a new cookie. `currentPassword` is needed if there is one; the first password needs a sign-in of the last minutes. `otherMethods` still sign in: remove those that are not yours.",
      access: "user",
      body: PasswordChangeBody,
      answers: { 200: PasswordChangedAnswer },
      act: async (request, deps) => {
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
          return createCookieSession(tx, deps, request, user, session.method as "password");
        });
        return {
          status: 200,
          body: { isSuccess: true, data: { changed: true, otherMethods: await listMethods(deps.store.read, user.id) } },
          headers: { "Set-Cookie": sessionCookie(deps.publicApiUrl(), text) },
        };
      },
    }),
  ];
}

function sessionRoutes(): Route[] {
  return [
    accountRoute({
      method: "GET",
      path: "/api/account/sessions",
      operationId: "listSessions",
      tag: TAG,
      summary: "List the user's sessions, last used first",
      access: "user",
      answers: { 200: SessionListAnswer },
      act: async (request, deps) => {
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
        return { status: 200, body: { isSuccess: true, data } };
      },
    }),
    accountRoute({
      method: "DELETE",
      path: "/api/account/sessions/:sessionId",
      operationId: "endSession",
      tag: TAG,
      summary: "End one of the user's sessions",
      description: "It stops working within a second on every node.",
      access: "user",
      params: SessionParams,
      answers: { 200: SessionEndedAnswer },
      act: async (request, deps) => {
        const { user } = getSignedIn(request);
        const { sessionId } = request.params;
        await deps.store.write(async (tx) => {
          if (!isId("ses", sessionId) || !(await endSession(tx, user.id, sessionId)))
            throw new ApiError("NOT_FOUND", "There is no such session");
          await recordOwn(tx, request, { action: "endSession", target: sessionId });
        });
        return { status: 200, body: { isSuccess: true, data: { id: sessionId } } };
      },
    }),
    accountRoute({
      method: "DELETE",
      path: "/api/account/sessions",
      operationId: "endOtherSessions",
      tag: TAG,
      summary: "End all of the user's sessions but this one",
      access: "user",
      answers: { 200: SessionsEndedAnswer },
      act: async (request, deps) => {
        const { user, session } = getSignedIn(request);
        const ended = await deps.store.write(async (tx) => {
          await recordOwn(tx, request, { action: "endOtherSessions", target: user.id });
          return endSessions(tx, user.id, session.id);
        });
        return { status: 200, body: { isSuccess: true, data: { ended } } };
      },
    }),
  ];
}
