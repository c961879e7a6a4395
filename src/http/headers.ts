/**
 * Response headers that are set in several places: the framework's hooks, the fast path of events, the error
 * translator.
 */

export const JSON_TYPE = "application/json; charset=utf-8";

/** On every response of every server. While a server stops, clients are asked to disconnect between two requests. */
export function baseHeaders(requestId: string, isStopping: boolean): Record<string, string> {
  return isStopping ? { "X-Request-Id": requestId, Connection: "close" } : { "X-Request-Id": requestId };
}

/** The response headers that a page of another origin may read. */
export const EXPOSED_HEADERS =
  "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id, Idempotency-Replayed";

/** Lets a page of any origin read a response. */
export const ANY_ORIGIN = { "Access-Control-Allow-Origin": "*" } as const;

/** Whether a client takes this encoding: it names it, and not with a weight of 0. */
export function accepts(header: string | string[] | undefined, encoding: string): boolean {
  return String(header ?? "")
    .split(",")
    .some((part) => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      return name === encoding && !parameters.some((text) => /^q=0(\.0*)?$/.test(text));
    });
}
