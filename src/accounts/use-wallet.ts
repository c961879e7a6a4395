import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import { ApiError } from "../contract/errors.ts";
import type { ControlStore } from "../control/store.ts";
import { isId } from "../lib/ids.ts";
import { addMethod, type Beginner } from "./add-method.ts";
import { type Challenge, type Challenges, useChallenge } from "./challenges.ts";
import { requireFreshProof } from "./fresh-proof.ts";
import { type NoteDeps, noteFailure } from "./note-failure.ts";
import { type AskContract, findSigner, makeWalletMessage, type Signer } from "./siwe.ts";
import { startSession } from "./start-session.ts";
import { findUser } from "./users.ts";
import { getSignedIn, recordOwn, type Visit } from "./visit.ts";
import { createWallet, findWallet, findWalletOf, listWallets, removeWallet, type Wallet } from "./wallets.ts";

/** What the token of a challenge remembers. */
interface Asked extends Beginner {
  message: string;
  origin: string;
  chainId: number;
  address: string;
}

interface Deps {
  store: ControlStore;
  challenges: Challenges;
  /** Undefined where contract wallets cannot be asked. */
  askContract: AskContract | undefined;
}

interface Named {
  address: string;
  chainId: number;
}

interface Signed {
  challengeToken: string;
  signature: string;
}

export function beginWalletSignIn(deps: Pick<Deps, "challenges">, visit: Visit, wallet: Named) {
  return makeChallenge(deps, visit, wallet, "wallet sign-in");
}

/** The text of a new session. */
export async function signInWithWallet(
  deps: Deps & NoteDeps & { secret: Buffer },
  visit: Visit,
  { challengeToken, signature }: Signed,
): Promise<string> {
  const { store } = deps;
  const asked = deps.challenges.read<Asked>("wallet sign-in", challengeToken, visit.nowMs);
  const known = asked && (await findWalletOf(store.read, asked.data.address));
  // Strangers do not make us call the chain: a contract is asked only about a wallet that somebody added.
  const askContract = known === undefined ? undefined : deps.askContract;
  const signer = asked && (await readSigner(askContract, visit, asked, signature));
  const wallet = signer && (await findWallet(store.read, signer));
  if (signer === undefined && known !== undefined)
    noteFailure(deps, visit, await findUser(store.read, known.userId), "signInFailed", "wallet");
  const user = wallet && (await findUser(store.read, wallet.userId));
  if (asked === undefined || user === undefined || user.disabledAtMs !== null) throw refused();
  return store.write(async (tx) => {
    if (!(await useChallenge(tx, asked))) throw refused();
    return startSession(tx, deps.secret, visit, user, "wallet");
  });
}

export async function beginWallet(deps: Pick<Deps, "store" | "challenges">, visit: Visit, wallet: Named) {
  const { user, session } = getSignedIn(visit);
  requireFreshProof(visit);
  if ((await listWallets(deps.store.read, user.id)).length >= ACCOUNT_LIMITS.walletsPerUser) throw enough();
  return makeChallenge(deps, visit, wallet, "wallet", { userId: user.id, sessionId: session.id });
}

export async function addWallet(
  { store, challenges, askContract }: Deps,
  visit: Visit,
  { challengeToken, signature }: Signed,
): Promise<Wallet> {
  const { user } = getSignedIn(visit);
  const asked = challenges.read<Asked>("wallet", challengeToken, visit.nowMs);
  const signer = asked?.data.userId === user.id ? await readSigner(askContract, visit, asked, signature) : undefined;
  if (asked === undefined || signer === undefined) throw notSigned();
  return addMethod(store, visit, asked, {
    action: "addWallet",
    most: ACCOUNT_LIMITS.walletsPerUser,
    list: (tx) => listWallets(tx, user.id),
    create: (tx) => createWallet(tx, { ...signer, userId: user.id }, visit.nowMs),
    details: ({ address }) => ({ address }),
    errors: { notProven: notSigned, enough, known: "An account has this wallet already" },
  });
}

export async function removeOwnWallet({ store }: Pick<Deps, "store">, visit: Visit, walletId: string) {
  const { user } = getSignedIn(visit);
  await store.write(async (tx) => {
    if (!isId("wlt", walletId) || !(await removeWallet(tx, user.id, walletId)))
      throw new ApiError("NOT_FOUND", "There is no such wallet");
    await recordOwn(tx, visit, { action: "removeWallet", target: walletId });
  });
}

/** We write the message, so its domain, chain and nonce are ours; the wallet warns where another page shows it. */
async function makeChallenge(
  { challenges }: Pick<Deps, "challenges">,
  { origin, nowMs }: Visit,
  wallet: Named,
  purpose: "wallet sign-in" | "wallet",
  beginner: Beginner = {},
) {
  const times = { issuedAtMs: nowMs, expiresAtMs: nowMs + ACCOUNT_LIMITS.challengeMinutes * 60_000 };
  const message = await makeWalletMessage(origin, wallet, times);
  const { chainId, address } = wallet;
  const asked: Asked = { message, origin, chainId, address: address.toLowerCase(), ...beginner };
  return { challengeToken: challenges.make(purpose, asked, nowMs), message };
}

function readSigner(
  askContract: AskContract | undefined,
  { nowMs }: Visit,
  { data: { message, origin, chainId } }: Challenge<Asked>,
  signature: string,
): Promise<Signer | undefined> {
  return findSigner(message, signature, { origin, chainId, nowMs }, askContract);
}

function refused(): ApiError {
  return new ApiError(
    "UNAUTHORIZED",
    "No account has this wallet, or the signature is not valid: add it when signed in",
  );
}

function enough(): ApiError {
  return new ApiError("CONFLICT", `A user has at most ${ACCOUNT_LIMITS.walletsPerUser} wallets`);
}

function notSigned(): ApiError {
  return new ApiError("BAD_REQUEST", "The signature does not belong to this message, or came too late: begin again");
}
