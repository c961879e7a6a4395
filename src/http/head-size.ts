import type { IncomingMessage } from "node:http";
import { ApiError } from "../contract/errors.ts";
import { LIMITS } from "../contract/limits.ts";
import { hasManyParameters } from "./query-string.ts";

/** Throws 400, 414 or 431. Node limits URL and headers together, so it cannot distinguish which of them is too long. */
export function refuseLongHead({ url = "", rawHeaders }: IncomingMessage, urlChars: number): void {
  refuseLongUrl(url, urlChars);
  if (hasManyParameters(url))
    throw new ApiError("BAD_REQUEST", `The URL has more than ${LIMITS.queryParameters} parameters`, { param: "query" });
  if (headerBytes(rawHeaders) > LIMITS.headerBytes) throw tooLong(431, "The request's headers are", LIMITS.headerBytes);
}

/** Throws 414. */
export function refuseLongUrl(url: string, urlChars: number): void {
  if (url.length > urlChars) throw tooLong(414, "The URL is", urlChars);
}

/** Each name and value with the two characters that end it. */
export function headerBytes(rawHeaders: readonly string[]): number {
  let size = 0;
  for (const text of rawHeaders) size += text.length + 2;
  return size;
}

function tooLong(status: number, what: string, most: number): ApiError {
  // The connection is closed, as when Node itself refuses a request.
  return new ApiError("BAD_REQUEST", `${what} too long: at most ${most} bytes are taken`, {
    status,
    headers: { Connection: "close" },
  });
}
