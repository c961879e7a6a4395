import { getDomain } from "tldts";
import { LIMIT } from "./text.ts";

export interface UrlParts {
  /** Lower case, without port and trailing dot. Empty when the text is not a usable URL. */
  readonly host: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

export const NO_URL: UrlParts = { host: "", path: "", query: "" };

/** Android and iOS send the referring app as a URL with one of these schemes. */
const SCHEMES = new Set(["http:", "https:", "android-app:", "ios-app:"]);

export function parseUrl(text: string): UrlParts {
  if (text === "" || text.length > LIMIT.url) return NO_URL;
  const url = URL.parse(text);
  if (url === null || !SCHEMES.has(url.protocol)) return NO_URL;
  const host = url.hostname.endsWith(".") ? url.hostname.slice(0, -1) : url.hostname;
  return { host: host.toLowerCase(), path: url.pathname, query: url.search.slice(1) };
}

export function withoutWww(host: string): string {
  return host.startsWith("www.") && host.indexOf(".", 4) !== -1 ? host.slice(4) : host;
}

/**
 * The part of a host name that one owner registers, or the host itself if there is none (localhost, IP addresses).
 * Private suffixes count: two sites under `vercel.app` or `github.io` have different owners.
 */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
