import Bowser from "bowser";
import { isbot } from "isbot";
import { readList } from "./csv.ts";
import type { Device } from "./row.ts";

export interface Agent {
  readonly device: Device;
  readonly browser: string;
  readonly os: string;
  /** True for crawlers, tools and scripts, and for everything that does not claim to be a browser. */
  readonly isBot: boolean;
  /** Has the form of a browser's user agent. Libraries and apps (`okhttp/4.9`, `MyApp/1.0`) do not. */
  readonly isBrowser: boolean;
}

/** Text in a user agent -> the wallet whose in-app browser sends it. */
export type WalletTokens = readonly (readonly [token: string, browser: string])[];

/** Longest first, so that the most specific token decides. */
export function loadWalletTokens(): WalletTokens {
  return readList("wallet-browsers", ["token", "browser"]).sort(([a], [b]) => b.length - a.length);
}

const BROWSER_NAMES: Readonly<Record<string, string>> = {
  "microsoft edge": "edge",
  "samsung internet for android": "samsung internet",
  "internet explorer": "ie",
};

const OS_NAMES: Readonly<Record<string, string>> = {
  "chrome os": "chromeos",
  "mac os": "macos",
  "mac os x": "macos",
  ipados: "ios",
  "iphone os": "ios",
};

/** Takes about 25 us, so callers cache the result. */
export function readAgent(wallets: WalletTokens, text: string): Agent {
  const isBrowser = text.startsWith("Mozilla/") || text.startsWith("Opera/");
  const parsed = Bowser.parse(text);
  const os = osName(parsed.os.name ?? "");
  const isBot = parsed.platform.type === "bot" || isbot(text);
  const named = browserName(parsed.browser.name ?? "");
  const browser = findWallet(wallets, text) ?? (isBot ? botName(text, named, isBrowser) : named);
  return { device: deviceOf(parsed.platform.type, os, browser), browser, os, isBot, isBrowser };
}

const LONGEST_BOT_NAME = 40;
/** Its own word within the user agent: `AhrefsBot`, `HeadlessChrome`, `Bytespider`. */
const isBotWord = (word: string) => /^headless|^phantomjs$/.test(word) || /(?:bot|crawler|spider)$/.test(word);

/** The reason why it is a bot, as far as it says so: its own name, else that of the program that sent the request. */
function botName(text: string, named: string, isBrowser: boolean): string {
  const words = text
    .toLowerCase()
    .replaceAll(/https?:\S+/g, "")
    .split(/[^\w-]/);
  const word = words.find(isBotWord);
  if (word !== undefined) return word.slice(0, LONGEST_BOT_NAME);
  if (isBrowser || named !== "") return named === "mozilla" ? "" : named;
  return (/^[\w.-]+/.exec(text)?.[0] ?? "").toLowerCase().slice(0, LONGEST_BOT_NAME);
}

export function browserName(name: string): string {
  const lower = name.toLowerCase();
  return Object.hasOwn(BROWSER_NAMES, lower) ? (BROWSER_NAMES[lower] ?? lower) : lower;
}

export function osName(name: string): string {
  const lower = name.toLowerCase();
  return Object.hasOwn(OS_NAMES, lower) ? (OS_NAMES[lower] ?? lower) : lower;
}

/** Empty for phones with neither iOS nor Android, televisions and consoles: no device is better than a wrong one. */
export function deviceOf(kind: string | undefined, os: string, browser: string): Device {
  if (kind === "tablet" || kind === "desktop" || kind === "bot") return kind;
  if (kind === "mobile") return os === "ios" ? "mobile-ios" : os === "android" ? "mobile-android" : "";
  // Chrome OS and the BSDs: a full browser on a system that no phone uses.
  return kind === undefined && browser !== "" ? "desktop" : "";
}

function findWallet(wallets: WalletTokens, text: string): string | undefined {
  const lower = text.toLowerCase();
  for (const [token, browser] of wallets) {
    for (let at = lower.indexOf(token); at !== -1; at = lower.indexOf(token, at + 1)) {
      if (!isLetter(lower.charCodeAt(at - 1)) && !isWordOn(lower, at + token.length)) return browser;
    }
  }
  return undefined;
}

/**
 * Whether the word goes on after the token: `PhantomJS` is not the wallet Phantom, `Phantom/ios` is, and so are
 * `TokenPocket_iOS` and `OKApp2`.
 */
function isWordOn(text: string, end: number): boolean {
  return isLetter(text.charCodeAt(end - 1)) && isLetter(text.charCodeAt(end));
}

function isLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}
