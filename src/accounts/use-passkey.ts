import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import { ApiError } from "../contract/errors.ts";
import type { ControlStore } from "../control/store.ts";
import { isId } from "../lib/ids.ts";
import { addMethod, type Beginner } from "./add-method.ts";
import { type Challenge, type Challenges, useChallenge } from "./challenges.ts";
import { requireFreshProof } from "./fresh-proof.ts";
import { type NoteDeps, noteFailure } from "./note-failure.ts";
import { createPasskey, findPasskey, listPasskeys, type Passkey, recordPasskeyUse, removePasskey } from "./passkeys.ts";
import { startSession } from "./start-session.ts";
import { findUser } from "./users.ts";
import { getSignedIn, recordOwn, type Visit } from "./visit.ts";
import { checkAuthentication, checkRegistration, makeAuthentication, makeRegistration } from "./webauthn.ts";

/** What the token of a challenge remembers. */
interface Asked extends Beginner {
  challenge: string;
  origin: string;
}

interface Deps {
  store: ControlStore;
  challenges: Challenges;
}

export async function beginPasskeySignIn({ challenges }: Pick<Deps, "challenges">, { origin, nowMs }: Visit) {
  const options = await makeAuthentication(origin);
  const asked: Asked = { challenge: options.challenge, origin };
  return { challengeToken: challenges.make("passkey sign-in", asked, nowMs), options };
}

/** The text of a new session. `takeAttempt` counts the attempt, and throws when there were too many. */
export async function signInWithPasskey(
  deps: Deps & NoteDeps & { secret: Buffer },
  visit: Visit,
  { challengeToken, response }: { challengeToken: string; response: { id?: unknown } },
  takeAttempt: (account: string) => Promise<void>,
): Promise<string> {
  const { store } = deps;
  const asked = deps.challenges.read<Asked>("passkey sign-in", challengeToken, visit.nowMs);
  const credentialId = String(response.id);
  if (asked === undefined || !/^[\w-]{1,1400}$/.test(credentialId)) throw refused();
  await takeAttempt(credentialId);
  const passkey = await findPasskey(store.read, credentialId);
  const user = passkey && (await findUser(store.read, passkey.userId));
  if (passkey === undefined || user === undefined || user.disabledAtMs !== null) throw refused();
  const { origin, challenge } = asked.data;
  const counter = await checkAuthentication(origin, challenge, response, passkey);
  if (counter === undefined) {
    noteFailure(deps, visit, user, "signInFailed", "passkey");
    throw refused();
  }
  return store.write(async (tx) => {
    if (!(await useChallenge(tx, asked))) throw refused();
    await recordPasskeyUse(tx, user.id, passkey.id, counter, visit.nowMs);
    return startSession(tx, deps.secret, visit, user, "passkey");
  });
}

export async function beginPasskey({ store, challenges }: Deps, visit: Visit) {
  const { user, session } = getSignedIn(visit);
  requireFreshProof(visit);
  const known = await listPasskeys(store.read, user.id);
  if (known.length >= ACCOUNT_LIMITS.passkeysPerUser) throw enough();
  const options = await makeRegistration(visit.origin, user, known);
  const owner = { userId: user.id, sessionId: session.id };
  const asked: Asked = { challenge: options.challenge, origin: visit.origin, ...owner };
  return { challengeToken: challenges.make("passkey", asked, visit.nowMs), options };
}

export async function addPasskey(
  { store, challenges }: Deps,
  visit: Visit,
  sent: { name: string; challengeToken: string; response: unknown },
): Promise<Passkey> {
  const { user } = getSignedIn(visit);
  const { name } = sent;
  const asked = challenges.read<Asked>("passkey", sent.challengeToken, visit.nowMs);
  const registered = asked && (await readRegistration(asked, user.id, sent.response));
  if (asked === undefined || registered === undefined) throw notAnswered();
  return addMethod(store, visit, asked, {
    action: "addPasskey",
    most: ACCOUNT_LIMITS.passkeysPerUser,
    list: (tx) => listPasskeys(tx, user.id),
    create: (tx) => createPasskey(tx, { ...registered, userId: user.id, name }, visit.nowMs),
    details: () => ({ name }),
    errors: { notProven: notAnswered, enough, known: "This passkey is known already" },
  });
}

export async function removeOwnPasskey({ store }: Pick<Deps, "store">, visit: Visit, passkeyId: string) {
  const { user } = getSignedIn(visit);
  await store.write(async (tx) => {
    if (!isId("psk", passkeyId) || !(await removePasskey(tx, user.id, passkeyId)))
      throw new ApiError("NOT_FOUND", "There is no such passkey");
    await recordOwn(tx, visit, { action: "removePasskey", target: passkeyId });
  });
}

async function readRegistration(asked: Challenge<Asked>, userId: string, response: unknown) {
  if (asked.data.userId !== userId) return undefined;
  return checkRegistration(asked.data.origin, asked.data.challenge, response);
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
