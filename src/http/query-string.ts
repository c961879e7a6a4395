import { type ParsedUrlQuery, parse } from "node:querystring";
import { LIMITS } from "../contract/limits.ts";

/** Whether a URL has more parameters than any route takes. Counts separators, and stops at the limit. */
export function hasManyParameters(url: string): boolean {
  let at = -1;
  for (let count = 0; count < LIMITS.queryParameters; count += 1) {
    at = url.indexOf("&", at + 1);
    if (at === -1) return false;
  }
  return true;
}

/**
 * The router parses a query before any hook sees the request, so before its credential is known. One with too many
 * parameters is left unparsed here, and refused by the first hook (head-size.ts).
 */
export function parseQuery(text: string): ParsedUrlQuery {
  return text === "" || hasManyParameters(text) ? {} : parse(text, "&", "=", { maxKeys: 0 });
}
