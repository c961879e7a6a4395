import { type Challenge, useChallenge } from "../../accounts/challenges.ts";
import { iso } from "../../accounts/describe.ts";
import {
  createPasskey,
  findPasskey,
  listPasskeys,
  type Passkey,
  recordPasskeyUse,
  removePasskey,
} from "../../accounts/passkeys.ts";
import { findUser, lockUser } from "../../accounts/users.ts";
import {
  checkAuthentication,
  checkRegistration,
  makeAuthentication,
  makeRegistration,
} from "../../accounts/webauthn.ts";
import {
  AccountAnswer,
  MethodRemovedAnswer,
  PasskeyAnswer,
  PasskeyBeginAnswer,
  PasskeyBody,
  PasskeyListAnswer,
  PasskeyParams,
  PasskeySignInBody,
} from "../../contract/account.ts";
import { ACCOUNT_LIMITS } from "../../contract/account-limits.ts";
import { ApiError } from "../../contract/errors.ts";
import { isId } from "../../lib/ids.ts";
import { takeAttempt, takeBeginning } from "../account/attempts.ts";
import { isSessionAlive, requireFreshProof } from "../account/fresh-proof.ts";
import { noteFailure } from "../account/note-failure.ts";
import { getSignedIn, recordOwn } from "../account/signed-in.ts";
import { answerSession, createCookieSession, requireSafeCookie } from "../account/start-session.ts";
import { accountRoute, type Route } from "../route.ts";
import { readName } from "./projects.ts";

/** What the token of a challenge remembers. */
interface Asked {
  challenge: string;
  origin: string;
  userId?: string;
  /** The session that began to add it. */
  sessionId?: string;
}

export function passkeyRoutes(): Route[] {
  return [...signInRoutes(), ...ownRoutes()];
}

function signInRoutes(): Route[] {
  return [
    accountRoute({
      method: "POST",
      path: "/api/sign-in/passkey/begin",
      operationId: "beginPasskeySignIn",
      tag: "Sign-in",
      summary: "Begin to sign in with a passkey",
      description: "`options` is what `navigator.credentials.get` takes, in its JSON form.",
      access: "open",
      answers: { 200: PasskeyBeginAnswer },
      act: async (request, deps) => {
        await takeBeginning(deps, request);
        const { origin, nowMs } = request;
        const options = await makeAuthentication(origin);
        const asked: Asked = { challenge: options.challenge, origin };
        const challengeToken = deps.challenges.make("passkey sign-in", asked, nowMs);
        return { status: 200, body: { isSuccess: true, data: { challengeToken, options } } };
      },
    }),
    accountRoute({
      method: "POST",
      path: "/api/sign-in/passkey/finish",
      operationId: "finishPasskeySignIn",
      tag: "Sign-in",
      summary: "Sign in with a passkey",
      access: "open",
      body: PasskeySignInBody,
      answers: { 200: AccountAnswer },
      act: async (request, deps) => {
        requireSafeCookie(deps);
        const { challengeToken, response } = request.body;
        const asked = deps.challenges.read<Asked>("passkey sign-in", challengeToken, request.nowMs);
        const credentialId = String(response.id);
        if (asked === undefined || !/^[\w-]{1,1400}$/.test(credentialId)) throw refused();
        await takeAttempt(deps, request, credentialId);
        const passkey = await findPasskey(deps.store.read, credentialId);
        const user = passkey && (await findUser(deps.store.read, passkey.userId));
        if (passkey === undefined || user === undefined || user.disabledAtMs !== null) throw refused();
        const { origin, challenge } = asked.data;
        const counter = await checkAuthentication(origin, challenge, response, passkey);
        if (counter === undefined) {
          noteFailure(deps, request, user, "signInFailed", "passkey");
          throw refused();
        }
        const text = await deps.store.write(async (tx) => {
          if (!(await useChallenge(tx, asked))) throw refused();
          await recordPasskeyUse(tx, user.id, passkey.id, counter, request.nowMs);
          return createCookieSession(tx, deps, request, user, "passkey");
        });
        return answerSession(deps, text);
      },
    }),
  ];
}

function ownRoutes(): Route[] {
  const common = { tag: "Account", access: "user" } as const;
  return [
    accountRoute({
      ...common,
      method: "GET",
      path: "/api/account/passkeys",
      operationId: "listPasskeys",
      summary: "List the user's passkeys",
      answers: { 200: PasskeyListAnswer },
      act: async (request, deps) => {
        const data = (await listPasskeys(deps.store.read, getSignedIn(request).user.id)).map(viewPasskey);
        return { status: 200, body: { isSuccess: true, data } };
      },
    }),
    accountRoute({
      ...common,
      method: "POST",
      path: "/api/account/passkeys/begin",
      operationId: "beginPasskey",
      summary: "Begin to add a passkey",
      description: "`options` is what `navigator.credentials.create` takes, in its JSON form.",
      answers: { 200: PasskeyBeginAnswer },
      act: async (request, deps) => {
        const { user, session } = getSignedIn(request);
        requireFreshProof(request);
        const known = await listPasskeys(deps.store.read, user.id);
        if (known.length >= ACCOUNT_LIMITS.passkeysPerUser) throw enough();
        const options = await makeRegistration(request.origin, user, known);
        const owner = { userId: user.id, sessionId: session.id };
        const asked: Asked = { challenge: options.challenge, origin: request.origin, ...owner };
        const challengeToken = deps.challenges.make("passkey", asked, request.nowMs);
        return { status: 200, body: { isSuccess: true, data: { challengeToken, options } } };
      },
    }),
    accountRoute({
      ...common,
      method: "POST",
      path: "/api/account/passkeys/finish",
      operationId: "addPasskey",
      summary: "Add a passkey",
      body: PasskeyBody,
      answers: { 201: PasskeyAnswer },
      act: async (request, deps) => {
        const { user } = getSignedIn(request);
        const name = readName(request.body.name);
        const asked = deps.challenges.read<Asked>("passkey", request.body.challengeToken, request.nowMs);
        const registered = asked && (await readRegistration(asked, user.id, request.body.response));
        if (asked === undefined || registered === undefined) throw notAnswered();
        const passkey = await deps.store.write(async (tx) => {
          if (!(await useChallenge(tx, asked))) throw notAnswered();
          if (!(await isSessionAlive(tx, asked.data, request.nowMs))) throw notAnswered();
          await lockUser(tx, user.id);
          if ((await listPasskeys(tx, user.id)).length >= ACCOUNT_LIMITS.passkeysPerUser) throw enough();
          const made = await createPasskey(tx, { ...registered, userId: user.id, name }, request.nowMs);
          if (made === undefined) throw new ApiError("CONFLICT", "This passkey is known already");
          await recordOwn(tx, request, { action: "addPasskey", target: made.id, details: { name } });
          return made;
        });
        return { status: 201, body: { isSuccess: true, data: viewPasskey(passkey) } };
      },
    }),
    accountRoute({
      ...common,
      method: "DELETE",
      path: "/api/account/passkeys/:passkeyId",
      operationId: "removePasskey",
      summary: "Remove a passkey",
      params: PasskeyParams,
      answers: { 200: MethodRemovedAnswer },
      act: async (request, deps) => {
        const { passkeyId } = request.params;
        const { user } = getSignedIn(request);
        await deps.store.write(async (tx) => {
          if (!isId("psk", passkeyId) || !(await removePasskey(tx, user.id, passkeyId)))
            throw new ApiError("NOT_FOUND", "There is no such passkey");
          await recordOwn(tx, request, { action: "removePasskey", target: passkeyId });
        });
        return { status: 200, body: { isSuccess: true, data: { id: passkeyId } } };
      },
    }),
  ];
}

async function readRegistration(asked: Challenge<Asked>, userId: string, response: unknown) {
  if (asked.data.userId !== userId) return undefined;
  return checkRegistration(asked.data.origin, asked.data.challenge, response);
}

function viewPasskey({ id, name, createdAtMs, lastUsedAtMs }: Passkey) {
  return { id, name, createdAt: iso(createdAtMs), lastUsedAt: lastUsedAtMs === null ? null : iso(lastUsedAtMs) };
}

function refused(): ApiError {
  return new ApiError("UNAUTHORIZED", "This passkey belongs to no account, or its answer is not valid");
}

function enough(): ApiError {
  return new ApiError("CONFLICT", `A user has at most ${ACCOUNT_LIMITS.passkeysPerUser} passkeys`);
}

function notAnswered(): ApiError {
  return new ApiError("BAD_REQUEST", "The answer does not belong to this challenge, or came too late: begin again");
}
