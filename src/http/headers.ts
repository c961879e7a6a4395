/**
 * Response headers that are set in several places: the framework's hooks, the fast path of events, the error
 * translator.
 */

export const JSON_TYPE = "application/json; charset=utf-8";

/** No response is anything but what its type says. */
export const NO_SNIFF = { "X-Content-Type-Options": "nosniff" } as const;
/** Answers have data of a workspace and sometimes a new key: no browser or proxy keeps them. */
export const NO_STORE = { "Cache-Control": "no-store" } as const;

/** On every response of every server. While a server stops, clients are asked to disconnect between two requests. */
export function baseHeaders(requestId: string, isStopping: boolean, url = ""): Record<string, string> {
  return {
    "X-Request-Id": requestId,
    ...NO_SNIFF,
    ...(/^\/(?:v0|api|clickhouse)(?:[/?]|$)/.test(url) ? NO_STORE : {}),
    ...(isStopping ? { Connection: "close" } : {}),
  };
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
