import { type Challenge, useChallenge } from "../../accounts/challenges.ts";
import { iso } from "../../accounts/describe.ts";
import { findSigner, makeWalletMessage, type Signer } from "../../accounts/siwe.ts";
import { findUser, lockUser } from "../../accounts/users.ts";
import {
  createWallet,
  findWallet,
  findWalletOf,
  listWallets,
  removeWallet,
  type Wallet,
} from "../../accounts/wallets.ts";
import {
  AccountAnswer,
  MethodRemovedAnswer,
  WalletAnswer,
  WalletBeginAnswer,
  WalletBeginBody,
  WalletFinishBody,
  WalletListAnswer,
  WalletParams,
} from "../../contract/account.ts";
import { ACCOUNT_LIMITS } from "../../contract/account-limits.ts";
import { ApiError } from "../../contract/errors.ts";
import { isId } from "../../lib/ids.ts";
import { takeBeginning } from "../account/attempts.ts";
import type { AccountDeps, AccountRequest } from "../account/deps.ts";
import { isSessionAlive, requireFreshProof } from "../account/fresh-proof.ts";
import { noteFailure } from "../account/note-failure.ts";
import { getSignedIn, recordOwn } from "../account/signed-in.ts";
import { answerSession, createCookieSession, requireSafeCookie } from "../account/start-session.ts";
import { type Answer, accountRoute, type Route } from "../route.ts";

/** What the token of a challenge remembers. */
interface Asked {
  message: string;
  origin: string;
  chainId: number;
  address: string;
  userId?: string;
  /** The session that began to add it. */
  sessionId?: string;
}

export function walletRoutes(): Route[] {
  return [...signInRoutes(), ...ownRoutes()];
}

function signInRoutes(): Route[] {
  return [
    accountRoute({
      method: "POST",
      path: "/api/sign-in/wallet/begin",
      operationId: "beginWalletSignIn",
      tag: "Sign-in",
      summary: "Begin to sign in with a wallet",
      access: "open",
      body: WalletBeginBody,
      answers: { 200: WalletBeginAnswer },
      act: async (request, deps) => {
        await takeBeginning(deps, request);
        return beginWallet(deps, request, "wallet sign-in");
      },
    }),
    accountRoute({
      method: "POST",
      path: "/api/sign-in/wallet/finish",
      operationId: "finishWalletSignIn",
      tag: "Sign-in",
      summary: "Sign in with a wallet that was added to an account before",
      access: "open",
      body: WalletFinishBody,
      answers: { 200: AccountAnswer },
      act: async (request, deps) => {
        requireSafeCookie(deps);
        const asked = deps.challenges.read<Asked>("wallet sign-in", request.body.challengeToken, request.nowMs);
        const known = asked && (await findWalletOf(deps.store.read, asked.data.address));
        // Strangers do not make us call the chain: a contract is asked only about a wallet that somebody added.
        const askContract = known === undefined ? undefined : deps.askContract;
        const signer = asked && (await readSigner({ askContract }, request, asked));
        const wallet = signer && (await findWallet(deps.store.read, signer));
        if (signer === undefined && known !== undefined)
          noteFailure(deps, request, await findUser(deps.store.read, known.userId), "signInFailed", "wallet");
        const user = wallet && (await findUser(deps.store.read, wallet.userId));
        if (asked === undefined || user === undefined || user.disabledAtMs !== null) throw refused();
        const text = await deps.store.write(async (tx) => {
          if (!(await useChallenge(tx, asked))) throw refused();
          return createCookieSession(tx, deps, request, user, "wallet");
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
      path: "/api/account/wallets",
      operationId: "listWallets",
      summary: "List the user's wallets",
      answers: { 200: WalletListAnswer },
      act: async (request, deps) => {
        const data = (await listWallets(deps.store.read, getSignedIn(request).user.id)).map(viewWallet);
        return { status: 200, body: { isSuccess: true, data } };
      },
    }),
    accountRoute({
      ...common,
      method: "POST",
      path: "/api/account/wallets/begin",
      operationId: "beginWallet",
      summary: "Begin to add a wallet",
      body: WalletBeginBody,
      answers: { 200: WalletBeginAnswer },
      act: async (request, deps) => {
        const { user, session } = getSignedIn(request);
        requireFreshProof(request);
        if ((await listWallets(deps.store.read, user.id)).length >= ACCOUNT_LIMITS.walletsPerUser) throw enough();
        return beginWallet(deps, request, "wallet", { userId: user.id, sessionId: session.id });
      },
    }),
    accountRoute({
      ...common,
      method: "POST",
      path: "/api/account/wallets/finish",
      operationId: "addWallet",
      summary: "Add a wallet",
      body: WalletFinishBody,
      answers: { 201: WalletAnswer },
      act: async (request, deps) => {
        const { user } = getSignedIn(request);
        const asked = deps.challenges.read<Asked>("wallet", request.body.challengeToken, request.nowMs);
        const signer = asked?.data.userId === user.id ? await readSigner(deps, request, asked) : undefined;
        if (asked === undefined || signer === undefined) throw notSigned();
        const wallet = await deps.store.write(async (tx) => {
          if (!(await useChallenge(tx, asked))) throw notSigned();
          if (!(await isSessionAlive(tx, asked.data, request.nowMs))) throw notSigned();
          await lockUser(tx, user.id);
          if ((await listWallets(tx, user.id)).length >= ACCOUNT_LIMITS.walletsPerUser) throw enough();
          const made = await createWallet(tx, { ...signer, userId: user.id }, request.nowMs);
          if (made === undefined) throw new ApiError("CONFLICT", "An account has this wallet already");
          await recordOwn(tx, request, { action: "addWallet", target: made.id, details: { address: made.address } });
          return made;
        });
        return { status: 201, body: { isSuccess: true, data: viewWallet(wallet) } };
      },
    }),
    accountRoute({
      ...common,
      method: "DELETE",
      path: "/api/account/wallets/:walletId",
      operationId: "removeWallet",
      summary: "Remove a wallet",
      params: WalletParams,
      answers: { 200: MethodRemovedAnswer },
      act: async (request, deps) => {
        const { walletId } = request.params;
        const { user } = getSignedIn(request);
        await deps.store.write(async (tx) => {
          if (!isId("wlt", walletId) || !(await removeWallet(tx, user.id, walletId)))
            throw new ApiError("NOT_FOUND", "There is no such wallet");
          await recordOwn(tx, request, { action: "removeWallet", target: walletId });
        });
        return { status: 200, body: { isSuccess: true, data: { id: walletId } } };
      },
    }),
  ];
}

/** We write the message, so its domain, chain and nonce are ours; the wallet warns where another page shows it. */
async function beginWallet(
  { challenges }: AccountDeps,
  request: AccountRequest<unknown, unknown, { address: string; chainId: number }>,
  purpose: "wallet sign-in" | "wallet",
  owner: Pick<Asked, "userId" | "sessionId"> = {},
): Promise<Answer> {
  const { origin, nowMs, body } = request;
  const times = { issuedAtMs: nowMs, expiresAtMs: nowMs + ACCOUNT_LIMITS.challengeMinutes * 60_000 };
  const message = await makeWalletMessage(origin, body, times);
  const asked: Asked = { message, origin, chainId: body.chainId, address: body.address.toLowerCase(), ...owner };
  const challengeToken = challenges.make(purpose, asked, nowMs);
  return { status: 200, body: { isSuccess: true, data: { challengeToken, message } } };
}

function readSigner(
  { askContract }: Pick<AccountDeps, "askContract">,
  { body, nowMs }: AccountRequest<unknown, unknown, { signature: string }>,
  { data }: Challenge<Asked>,
): Promise<Signer | undefined> {
  const { message, origin, chainId } = data;
  return findSigner(message, body.signature, { origin, chainId, nowMs }, askContract);
}

function viewWallet({ id, address, chainId, createdAtMs }: Wallet) {
  return { id, address, chainId, createdAt: iso(createdAtMs) };
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
