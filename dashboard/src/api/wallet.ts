/** Signs in with the wallet of this browser (EIP-1193): it signs a message that names this site. */
import { call } from "./client.ts";
import type { Account, Wrapped } from "./session.ts";

interface Wallet {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

export function findWallet(): Wallet | undefined {
  return (globalThis as { ethereum?: Wallet }).ethereum;
}

interface Signed {
  challengeToken: string;
  signature: string;
}

export async function signInWithWallet(): Promise<Account> {
  const body = await sign("/api/sign-in/wallet/begin");
  return (await call<Wrapped<Account>>({ method: "POST", path: "/api/sign-in/wallet/finish", body })).data;
}

export async function addWallet(): Promise<void> {
  const body = await sign("/api/account/wallets/begin");
  await call({ method: "POST", path: "/api/account/wallets/finish", body });
}

async function sign(path: string): Promise<Signed> {
  const wallet = findWallet();
  if (wallet === undefined) throw new Error("This browser has no wallet.");
  const [address] = (await ask(wallet, "eth_requestAccounts")) as string[];
  const chainId = Number(await ask(wallet, "eth_chainId"));
  const begun = await call<Wrapped<{ challengeToken: string; message: string }>>({
    method: "POST",
    path,
    body: { address, chainId },
  });
  const { challengeToken, message } = begun.data;
  const signature = await ask(wallet, "personal_sign", [toHex(message), address]);
  return { challengeToken, signature: String(signature) };
}

/** Wallets throw plain objects; 4001 means that the person said no. */
async function ask(wallet: Wallet, method: string, params: readonly unknown[] = []): Promise<unknown> {
  return wallet.request({ method, params }).catch((cause: { code?: number; message?: string }) => {
    throw new Error(cause.code === 4001 ? "The wallet did not sign." : (cause.message ?? "The wallet failed."));
  });
}

function toHex(text: string): string {
  return `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
