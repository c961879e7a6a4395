import { iso } from "../../accounts/describe.ts";
import { listPasskeys, type Passkey } from "../../accounts/passkeys.ts";
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  removeOwnPasskey,
  signInWithPasskey,
} from "../../accounts/use-passkey.ts";
import { getSignedIn } from "../../accounts/visit.ts";
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
import { takeAttempt, takeBeginning } from "../../http/account/attempts.ts";
import type { AccountDeps, SessionNeeds } from "../../http/account/deps.ts";
import { answerSession, requireSafeCookie } from "../../http/account/start-session.ts";
import { accountRoute, type Route, success } from "../../http/route.ts";
import { readName } from "../read-name.ts";

type PasskeyNeeds = SessionNeeds & Pick<AccountDeps, "challenges" | "signInLimits">;

export function passkeyRoutes(needs: PasskeyNeeds): Route[] {
  return [
    beginPasskeySignInRoute(needs),
    finishPasskeySignInRoute(needs),
    listPasskeysRoute(needs),
    beginPasskeyRoute(needs),
    addPasskeyRoute(needs),
    removePasskeyRoute(needs),
  ];
}

const beginPasskeySignInRoute = (needs: PasskeyNeeds) =>
  accountRoute({
    method: "POST",
    path: "/api/sign-in/passkey/begin",
    operationId: "beginPasskeySignIn",
    tag: "Sign-in",
    summary: "Begin to sign in with a passkey",
    description: "`options` is what `navigator.credentials.get` takes, in its JSON form.",
    access: "open",
    answers: { 200: PasskeyBeginAnswer },
    act: async (request) => {
      await takeBeginning(needs, request);
      return success(await beginPasskeySignIn(needs, request));
    },
  });

const finishPasskeySignInRoute = (needs: PasskeyNeeds) =>
  accountRoute({
    method: "POST",
    path: "/api/sign-in/passkey/finish",
    operationId: "finishPasskeySignIn",
    tag: "Sign-in",
    summary: "Sign in with a passkey",
    access: "open",
    body: PasskeySignInBody,
    answers: { 200: AccountAnswer },
    act: async (request) => {
      requireSafeCookie(needs);
      const count = (account: string) => takeAttempt(needs, request, account);
      return answerSession(needs, await signInWithPasskey(needs, request, request.body, count));
    },
  });

const common = { tag: "Account", access: "user" } as const;

const listPasskeysRoute = (needs: PasskeyNeeds) =>
  accountRoute({
    ...common,
    method: "GET",
    path: "/api/account/passkeys",
    operationId: "listPasskeys",
    summary: "List the user's passkeys",
    answers: { 200: PasskeyListAnswer },
    act: async (request) =>
      success((await listPasskeys(needs.store.read, getSignedIn(request).user.id)).map(viewPasskey)),
  });

const beginPasskeyRoute = (needs: PasskeyNeeds) =>
  accountRoute({
    ...common,
    method: "POST",
    path: "/api/account/passkeys/begin",
    operationId: "beginPasskey",
    summary: "Begin to add a passkey",
    description: "`options` is what `navigator.credentials.create` takes, in its JSON form.",
    answers: { 200: PasskeyBeginAnswer },
    act: async (request) => success(await beginPasskey(needs, request)),
  });

const addPasskeyRoute = (needs: PasskeyNeeds) =>
  accountRoute({
    ...common,
    method: "POST",
    path: "/api/account/passkeys/finish",
    operationId: "addPasskey",
    summary: "Add a passkey",
    body: PasskeyBody,
    answers: { 201: PasskeyAnswer },
    act: async (request) => {
      const sent = { ...request.body, name: readName(request.body.name) };
      return success(viewPasskey(await addPasskey(needs, request, sent)), 201);
    },
  });

const removePasskeyRoute = (needs: PasskeyNeeds) =>
  accountRoute({
    ...common,
    method: "DELETE",
    path: "/api/account/passkeys/:passkeyId",
    operationId: "removePasskey",
    summary: "Remove a passkey",
    params: PasskeyParams,
    answers: { 200: MethodRemovedAnswer },
    act: async (request) => {
      const { passkeyId } = request.params;
      await removeOwnPasskey(needs, request, passkeyId);
      return success({ id: passkeyId });
    },
  });

function viewPasskey({ id, name, createdAtMs, lastUsedAtMs }: Passkey) {
  return { id, name, createdAt: iso(createdAtMs), lastUsedAt: lastUsedAtMs === null ? null : iso(lastUsedAtMs) };
}
