/** Headers of answers that more than one place writes: the framework's hooks, the fast path of events, the error edge. */

export const JSON_TYPE = "application/json; charset=utf-8";

/** On every answer of every server. While a server stops, clients are asked to move on between two requests. */
export function baseHeaders(requestId: string, isStopping: boolean): Record<string, string> {
  return isStopping ? { "X-Request-Id": requestId, Connection: "close" } : { "X-Request-Id": requestId };
}

/** What a page of another origin may read of an answer. */
export const EXPOSED_HEADERS =
  "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id, Idempotency-Replayed";

/** Lets a page of any origin read an answer. */
export const ANY_ORIGIN = { "Access-Control-Allow-Origin": "*" } as const;
