import type { IncomingHttpHeaders } from "node:http";
import { ACCOUNT_LIMITS } from "../../contract/account-limits.ts";
import { pathPrefix } from "../path-prefix.ts";

/**
 * The cookie of a session. `__Host-` makes browsers accept it only from this host, by https and for all paths; below a
 * path prefix `__Secure-` is what remains. On loopback there is no https, and so no prefix.
 */
function cookieName(publicApiUrl: string, name: "sextant" | "sextant-oidc" | "sextant-known" = "sextant"): string {
  if (!isSecure(publicApiUrl)) return name;
  return pathPrefix(publicApiUrl) === "" ? `__Host-${name}` : `__Secure-${name}`;
}

function isSecure(publicApiUrl: string): boolean {
  return publicApiUrl.startsWith("https:");
}

export function findSessionText(headers: IncomingHttpHeaders, publicApiUrl: string): string | undefined {
  return findCookie(headers.cookie, cookieName(publicApiUrl));
}

/** Kept while somebody is at the provider. Lax: the provider leads back from another site. */
export function oidcCookie(publicApiUrl: string, text: string): string {
  const name = cookieName(publicApiUrl, "sextant-oidc");
  return toCookie(publicApiUrl, name, text, ACCOUNT_LIMITS.challengeMinutes * 60);
}

export function findOidcText(cookies: string | undefined, publicApiUrl: string): string | undefined {
  return findCookie(cookies, cookieName(publicApiUrl, "sextant-oidc"));
}

/** Says that somebody signed in here before; no session. */
export function knownCookie(publicApiUrl: string, text: string): string {
  const name = cookieName(publicApiUrl, "sextant-known");
  return toCookie(publicApiUrl, name, text, ACCOUNT_LIMITS.knownDays * 86_400);
}

export function findKnownText(cookies: string | undefined, publicApiUrl: string): string | undefined {
  return findCookie(cookies, cookieName(publicApiUrl, "sextant-known"));
}

export function sessionCookie(publicApiUrl: string, text: string): string {
  return toCookie(publicApiUrl, cookieName(publicApiUrl), text, ACCOUNT_LIMITS.sessionDays * 86_400);
}

export function endedSessionCookie(publicApiUrl: string): string {
  return toCookie(publicApiUrl, cookieName(publicApiUrl), "", 0);
}

function findCookie(cookies: string | undefined, name: string): string | undefined {
  for (const pair of (cookies ?? "").split(";")) {
    const [key = "", value] = pair.split("=", 2);
    if (key.trim() === name && value !== undefined) return value.trim();
  }
  return undefined;
}

function toCookie(publicApiUrl: string, name: string, value: string, maxAgeSeconds: number): string {
  const path = pathPrefix(publicApiUrl) || "/";
  const secure = isSecure(publicApiUrl) ? "; Secure" : "";
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
