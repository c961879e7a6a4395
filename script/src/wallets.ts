/**
 * What wallets do on this page: they announce themselves (EIP-6963), connect, change chain, sign and send. The script
 * only watches: it asks for no connection, and each answer goes on to the app as it came.
 */
import { type Fields, keep } from "./visit.ts";

interface Provider {
  request(args: { method: string; params?: unknown }): Promise<unknown>;
  on?(event: string, listener: (value: unknown) => void): unknown;
}

interface Announcement {
  info: { rdns: string; name: string };
  provider: Provider;
}

export type Tell = (type: string, properties: Fields) => void;

export interface Wallets {
  /** The connected one, or "". */
  readonly address: string;
  use(address: string, properties?: Fields): void;
  leave(): void;
}

const SIGNING = /^(personal_sign|eth_sign|eth_signTypedData(_v[134])?)$/;
const USER_REJECTED = 4001;
const RECEIPT_MS = 4_000;
const RECEIPT_TRIES = 45;
const BUILDER_MARK = "8021".repeat(8);

export function watchWallets(tell: Tell): Wallets {
  const name = "sextant_wallet";
  const seen = new Set<Provider>();
  const wallets = {
    // A page of the same visit goes on with the wallet of the page before.
    address: (keep("session", name) || "").split(" ")[0] || "",
    use(address: string, properties: Fields = {}) {
      const { rdns = "" } = properties;
      const mark = `${address} ${typeof rdns === "string" ? rdns : ""}`;
      wallets.address = address;
      if (keep("session", name) === mark) return;
      keep("session", name, mark);
      tell("connect", properties);
    },
    leave(properties: Fields = {}) {
      if (!wallets.address) return;
      tell("disconnect", properties);
      wallets.address = "";
      keep("session", name, "");
    },
  };

  addEventListener("eip6963:announceProvider", (event) => {
    const { info, provider } = (event as CustomEvent<Announcement>).detail;
    if (seen.has(provider)) return;
    seen.add(provider);
    const wallet = { rdns: info.rdns, provider_name: info.name };
    const detected = (keep("session", "sextant_detected") || "").split(" ");
    if (!detected.includes(info.rdns)) {
      keep("session", "sextant_detected", [...detected, info.rdns].join(" "));
      tell("detect", wallet);
    }
    watch(provider, wallet);
  });
  dispatchEvent(new Event("eip6963:requestProvider"));
  return wallets;

  function watch(provider: Provider, wallet: Fields): void {
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

    async function followTransaction(properties: Fields, hash: unknown): Promise<void> {
      for (let tries = 0; tries < RECEIPT_TRIES; tries += 1) {
        await new Promise((done) => setTimeout(done, RECEIPT_MS));
        const receipt = (await request({ method: "eth_getTransactionReceipt", params: [hash] })) as Fields | null;
        if (receipt)
          return tell("transaction", { ...properties, status: Number(receipt.status) ? "confirmed" : "reverted" });
      }
    }

    function observe(method: string, params: unknown, answer: Promise<unknown>): void {
      const [first] = Array.isArray(params) ? (params as unknown[]) : [];
      const ask = (type: string, properties: Fields, steps: [string, string]) => {
        const all = { ...wallet, chain_id: chain, ...properties };
        tell(type, { ...all, status: steps[0] });
        answer.then(
          (value) => {
            const done = type === "transaction" ? { ...all, transaction_hash: value } : all;
            tell(type, { ...done, status: steps[1] });
            if (type === "transaction") followTransaction(done, value).catch(() => undefined);
          },
          (cause: unknown) => {
            if ((cause as Fields | null)?.code === USER_REJECTED) tell(type, { ...all, status: "rejected" });
          },
        );
      };
      if (method === "eth_requestAccounts") answer.then(quietly, () => undefined);
      else if (SIGNING.test(method)) ask("signature", {}, ["requested", "confirmed"]);
      else if (method === "eth_sendTransaction") {
        const { to, value, data } = (first ?? {}) as Fields;
        ask("transaction", { to, value, data, ...builderCodes(data) }, ["started", "broadcasted"]);
      }
    }

    try {
      provider.request = (args) => {
        const answer = request(args);
        observe(args.method, args.params, answer);
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
}

/** The codes at the end of a call's data (ERC-8021, schema 0): codes, their length, the schema, a mark of 16 bytes. */
function builderCodes(data: unknown): Fields {
  if (typeof data !== "string" || !data.endsWith(`00${BUILDER_MARK}`)) return {};
  const end = data.length - BUILDER_MARK.length - 4;
  const length = Number.parseInt(data.slice(end, end + 2), 16) * 2;
  const codes = (data.slice(end - length, end).match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
  return codes.length > 0 ? { builder_codes: String.fromCharCode(...codes) } : {};
}
