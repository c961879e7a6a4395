/** The values of reports as people know them. Whatever has no name is shown as it is. */
import { EVENT_KINDS, type EventKind } from "../../../src/contract/event-kinds.ts";
import chains from "./chains.json" with { type: "json" };
import { locale } from "./locale.ts";

const regions = new Intl.DisplayNames([locale, "en"], { type: "region", fallback: "none" });

const CHAINS: Readonly<Record<string, string>> = chains;

const WALLETS: Readonly<Record<string, string>> = {
  "io.metamask": "MetaMask",
  "io.metamask.mobile": "MetaMask Mobile",
  "com.coinbase.wallet": "Coinbase Wallet",
  "io.rabby": "Rabby",
  "me.rainbow": "Rainbow",
  "app.phantom": "Phantom",
  "com.trustwallet.app": "Trust Wallet",
  "com.okex.wallet": "OKX Wallet",
  "com.binance.wallet": "Binance Wallet",
  "com.bitget.web3": "Bitget Wallet",
  "com.brave.wallet": "Brave Wallet",
  "com.walletconnect.com": "WalletConnect",
  walletconnect: "WalletConnect",
  "app.keplr": "Keplr",
  "com.crypto.wallet": "Crypto.com",
  "com.ledger": "Ledger",
  "xyz.frame": "Frame",
  "sh.frame": "Frame",
  "io.zerion.wallet": "Zerion",
  "org.uniswap.app": "Uniswap Wallet",
  "app.backpack": "Backpack",
  "com.exodus.web3-wallet": "Exodus",
  "global.safe": "Safe",
  "io.xdefi": "Ctrl",
};

const DEVICES: Readonly<Record<string, string>> = {
  desktop: "Desktop",
  "mobile-ios": "iPhone",
  "mobile-android": "Android phone",
  mobile: "Mobile",
  tablet: "Tablet",
  bot: "Bot",
};

const SYSTEMS: Readonly<Record<string, string>> = {
  macos: "macOS",
  ios: "iOS",
  windows: "Windows",
  android: "Android",
  linux: "Linux",
};

/** "Referrals" (a code of the link) and "Referrers" (a page that links) read like one word spelt twice. */
const CHANNELS: Readonly<Record<string, string>> = { Referrals: "Referral codes (ref)", Referrers: "Other sites" };

const EMPTY: Readonly<Record<string, string>> = {
  referrer: "Direct",
  location: "Unknown",
  device: "Unknown",
  browser: "Unknown",
  os: "Unknown",
};

/** A page by its path, with its site where several are listed. A server or an app may send page views of no page. */
export function pageName(origin: string, path: string, withSite: boolean): string {
  if (origin === "" && path === "") return "(none)";
  return withSite ? `${origin}${pathText(path)}` : pathText(path) || "/";
}

/** Controls, and marks that turn the direction of the text after them: "a\u202Egnp.exe" reads as "aexe.png". */
const UNSEEN = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

/** A text from outside with its unseen characters named. */
export function seenText(text: string): string {
  return text.replace(UNSEEN, (mark) => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** A path as people wrote it: /%F0%9F%9A%80 is /🚀. What separates its parts stays as it is. */
export function pathText(path: string): string {
  try {
    return seenText(decodeURI(path));
  } catch {
    // Not every % begins a character.
    return seenText(path);
  }
}

const NAMES: Readonly<Record<string, (value: string) => string>> = {
  page: pathText,
  pathname: pathText,
  location: countryName,
  chain_id: (value) => nameIn(CHAINS, value) ?? `Chain ${seenText(value)}`,
  channel: (value) => nameIn(CHANNELS, value) ?? seenText(value),
  rdns: (value) => nameIn(WALLETS, value) ?? seenText(value),
  device: (value) => nameIn(DEVICES, value) ?? seenText(value),
  os: (value) => nameIn(SYSTEMS, value) ?? seenText(value),
  browser: (value) => seenText(value.charAt(0).toUpperCase() + value.slice(1)),
  type: (value) => (Object.hasOwn(EVENT_KINDS, value) ? EVENT_KINDS[value as EventKind].label : seenText(value)),
};

/** Whether people see other texts than the values of a column. */
export const hasNames = (column: string) => Object.hasOwn(NAMES, column);

/** The name of a value of a column, also of an empty one. */
export function valueName(column: string, value: string): string {
  if (value === "") return EMPTY[column] ?? "(none)";
  const nameOf = hasNames(column) ? NAMES[column] : undefined;
  return nameOf?.(value) ?? seenText(value);
}

/** Clients choose values: one may be `__proto__`, which every object has. */
function nameIn(names: Readonly<Record<string, string>>, value: string): string | undefined {
  return Object.hasOwn(names, value) ? names[value] : undefined;
}

function countryName(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code === "unknown" ? "Unknown" : seenText(code);
  return regions.of(code) ?? code;
}

/** 0x52908400098527886E0F7030069857D2E4169EE7 -> 0x5290…9EE7 */
export function shortAddress(address: string): string {
  return address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;
}
