import { iso } from "../../accounts/describe.ts";
import {
  addWallet,
  beginWallet,
  beginWalletSignIn,
  removeOwnWallet,
  signInWithWallet,
} from "../../accounts/use-wallet.ts";
import { getSignedIn } from "../../accounts/visit.ts";
import { listWallets, type Wallet } from "../../accounts/wallets.ts";
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
import { takeBeginning } from "../../http/account/attempts.ts";
import type { AccountDeps, SessionNeeds } from "../../http/account/deps.ts";
import { answerSession, requireSafeCookie } from "../../http/account/start-session.ts";
import { accountRoute, type Route, success } from "../../http/route.ts";

type WalletNeeds = SessionNeeds & Pick<AccountDeps, "challenges" | "signInLimits" | "askContract">;

export function walletRoutes(needs: WalletNeeds): Route[] {
  return [
    beginWalletSignInRoute(needs),
    finishWalletSignInRoute(needs),
    listWalletsRoute(needs),
    beginWalletRoute(needs),
    addWalletRoute(needs),
    removeWalletRoute(needs),
  ];
}

const beginWalletSignInRoute = (needs: WalletNeeds) =>
  accountRoute({
    method: "POST",
    path: "/api/sign-in/wallet/begin",
    operationId: "beginWalletSignIn",
    tag: "Sign-in",
    summary: "Begin to sign in with a wallet",
    access: "open",
    body: WalletBeginBody,
    answers: { 200: WalletBeginAnswer },
    act: async (request) => {
      await takeBeginning(needs, request);
      return success(await beginWalletSignIn(needs, request, request.body));
    },
  });

const finishWalletSignInRoute = (needs: WalletNeeds) =>
  accountRoute({
    method: "POST",
    path: "/api/sign-in/wallet/finish",
    operationId: "finishWalletSignIn",
    tag: "Sign-in",
    summary: "Sign in with a wallet that was added to an account before",
    access: "open",
    body: WalletFinishBody,
    answers: { 200: AccountAnswer },
    act: async (request) => {
      requireSafeCookie(needs);
      return answerSession(needs, await signInWithWallet(needs, request, request.body));
    },
  });

const common = { tag: "Account", access: "user" } as const;

const listWalletsRoute = (needs: WalletNeeds) =>
  accountRoute({
    ...common,
    method: "GET",
    path: "/api/account/wallets",
    operationId: "listWallets",
    summary: "List the user's wallets",
    answers: { 200: WalletListAnswer },
    act: async (request) =>
      success((await listWallets(needs.store.read, getSignedIn(request).user.id)).map(viewWallet)),
  });

const beginWalletRoute = (needs: WalletNeeds) =>
  accountRoute({
    ...common,
    method: "POST",
    path: "/api/account/wallets/begin",
    operationId: "beginWallet",
    summary: "Begin to add a wallet",
    body: WalletBeginBody,
    answers: { 200: WalletBeginAnswer },
    act: async (request) => success(await beginWallet(needs, request, request.body)),
  });

const addWalletRoute = (needs: WalletNeeds) =>
  accountRoute({
    ...common,
    method: "POST",
    path: "/api/account/wallets/finish",
    operationId: "addWallet",
    summary: "Add a wallet",
    body: WalletFinishBody,
    answers: { 201: WalletAnswer },
    act: async (request) => success(viewWallet(await addWallet(needs, request, request.body)), 201),
  });

const removeWalletRoute = (needs: WalletNeeds) =>
  accountRoute({
    ...common,
    method: "DELETE",
    path: "/api/account/wallets/:walletId",
    operationId: "removeWallet",
    summary: "Remove a wallet",
    params: WalletParams,
    answers: { 200: MethodRemovedAnswer },
    act: async (request) => {
      const { walletId } = request.params;
      await removeOwnWallet(needs, request, walletId);
      return success({ id: walletId });
    },
  });

function viewWallet({ id, address, chainId, createdAtMs }: Wallet) {
  return { id, address, chainId, createdAt: iso(createdAtMs) };
}
