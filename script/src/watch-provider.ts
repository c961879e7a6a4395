/**
 * What a wallet does on this page, read from its answers and its events: connecting, changing chain, signing, sending.
 * Each answer goes on to the app as it came.
 */
import { builderCodes } from "./builder-codes.ts";
import type { Fields } from "./visit.ts";
import type { Tell, Wallets } from "./wallets.ts";

export interface Provider {
  request(args: { method: string; params?: unknown }): Promise<unknown>;
  on?(event: string, listener: (value: unknown) => void): unknown;
}

type Request = Provider["request"];

const SIGNING = /^(personal_sign|eth_sign|eth_signTypedData(_v[134])?)$/;
const USER_REJECTED = 4001;
const RECEIPT_MS = 4_000;
const RECEIPT_TRIES = 45;

export function watchProvider(provider: Provider, wallet: Fields, wallets: Wallets, tell: Tell): void {
  const request = provider.request.bind(provider);
  let account = "";
  let chain: number | undefined;

  async function accounts(value: unknown): Promise<void> {
    const [first] = Array.isArray(value) ? (value as unknown[]) : [];
    if (typeof first === "string") {
      account = first;
      chain ??= Number(await request({ method: "eth_chainId" }));
      wallets.use(first, { ...wallet, chain_id: chain });
    } else if (account) {
      if (account === wallets.address) wallets.leave({ ...wallet, chain_id: chain });
      account = "";
    }
  }
  const quietly = (value: unknown) => void accounts(value).catch(() => undefined);

  try {
    provider.request = (args) => {
      const answer = request(args);
      if (args.method === "eth_requestAccounts") answer.then(quietly, () => undefined);
      else observe(args, answer, { ...wallet, chain_id: chain }, request, tell);
      return answer;
    };
  } catch {
    // A frozen provider: its events are still seen.
  }
  provider.on?.("accountsChanged", quietly);
  provider.on?.("disconnect", () => quietly([]));
  provider.on?.("chainChanged", (value) => {
    chain = Number(value);
    if (account) tell("chain", { ...wallet, chain_id: chain });
  });
  // Answered without a question to the person: the accounts that the site may see already.
  request({ method: "eth_accounts" }).then(quietly, () => undefined);
}

function observe(
  { method, params }: Parameters<Request>[0],
  answer: Promise<unknown>,
  known: Fields,
  request: Request,
  tell: Tell,
): void {
  const isTransaction = method === "eth_sendTransaction";
  if (!isTransaction && !SIGNING.test(method)) return;
  const type = isTransaction ? "transaction" : "signature";
  const [first] = isTransaction && Array.isArray(params) ? (params as unknown[]) : [];
  const { to, value, data } = (first ?? {}) as Fields;
  const all = isTransaction ? { ...known, to, value, data, ...builderCodes(data) } : known;
  tell(type, { ...all, status: isTransaction ? "started" : "requested" });
  answer.then(
    (hash) => {
      if (!isTransaction) return tell(type, { ...all, status: "confirmed" });
      const sent = { ...all, transaction_hash: hash };
      tell(type, { ...sent, status: "broadcasted" });
      followTransaction(sent, hash, request, tell).catch(() => undefined);
    },
    (cause: unknown) => {
      if ((cause as Fields | null)?.code === USER_REJECTED) tell(type, { ...all, status: "rejected" });
    },
  );
}

async function followTransaction(sent: Fields, hash: unknown, request: Request, tell: Tell): Promise<void> {
  for (let tries = 0; tries < RECEIPT_TRIES; tries += 1) {
    await new Promise((done) => setTimeout(done, RECEIPT_MS));
    const receipt = (await request({ method: "eth_getTransactionReceipt", params: [hash] })) as Fields | null;
    if (receipt) return tell("transaction", { ...sent, status: Number(receipt.status) ? "confirmed" : "reverted" });
  }
}
