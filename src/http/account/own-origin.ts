import type { IncomingHttpHeaders } from "node:http";
import { ApiError } from "../../contract/errors.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * The origins of our own page: that of the public URL, and on loopback its other names. Never the Host header: a page
 * that imitates ours under another name could then use what a visitor signs there.
 */
function ownOrigins(publicApiUrl: string): readonly string[] {
  if (!URL.canParse(publicApiUrl)) return [];
  const url = new URL(publicApiUrl);
  if (!LOOPBACK.has(url.hostname)) return [url.origin];
  const port = url.port === "" ? "" : `:${url.port}`;
  return [...LOOPBACK].map((host) => `${url.protocol}//${host}${port}`);
}

/** The origin of the page that sent this request: one of our own. */
export function pageOrigin(headers: IncomingHttpHeaders, publicApiUrl: string): string {
  const own = ownOrigins(publicApiUrl);
  return own.find((origin) => origin === headers.origin) ?? new URL(publicApiUrl).origin;
}

/**
 * A browser sends the cookie also with requests that another site causes. It says so in Sec-Fetch-Site and, on writes,
 * in Origin. A program that sends neither has no cookie that somebody else could use.
 */
export function refuseCrossSite(headers: IncomingHttpHeaders, publicApiUrl: string): void {
  const site = headers["sec-fetch-site"];
  const isOurs = site === undefined || site === "same-origin" || site === "none";
  if (isOurs && (headers.origin === undefined || ownOrigins(publicApiUrl).includes(headers.origin))) return;
  throw new ApiError(
    "FORBIDDEN",
    "A page of another site sent this request. If the page is yours, open it under SEXTANT_PUBLIC_API_URL.",
  );
}

/**
 * A form of another site can post other types without asking; JSON and the bytes of a file need our consent, which we
 * do not give. Only a route that takes a file reads such bytes.
 */
export function refuseOtherTypes(headers: IncomingHttpHeaders): void {
  const type = headers["content-type"];
  if (type === undefined || /^application\/(?:json|octet-stream)\b/i.test(type)) return;
  throw new ApiError("BAD_REQUEST", "The body must be sent as Content-Type: application/json", { status: 415 });
}

/** Over plain http a cookie could be read on the way. On loopback there is no way. */
export function canSignIn(publicApiUrl: string): boolean {
  const { protocol, hostname } = new URL(publicApiUrl);
  return protocol === "https:" || LOOPBACK.has(hostname);
}
