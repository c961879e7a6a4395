/**
 * What wallets do on this page: they announce themselves (EIP-6963), connect, change chain, sign and send. The script
 * only watches: it asks for no connection.
 */
import { type Fields, keep } from "./visit.ts";
import { type Provider, watchProvider } from "./watch-provider.ts";

interface Announcement {
  info: { rdns: string; name: string };
  provider: Provider;
}

export type Tell = (type: string, properties: Fields) => void;

export interface Wallets {
  /** The connected one, or "". */
  readonly address: string;
  use(address: string, properties?: Fields): void;
  leave(properties?: Fields): void;
}

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
    watchProvider(provider, wallet, wallets, tell);
  });
  dispatchEvent(new Event("eip6963:requestProvider"));
  return wallets;
}
