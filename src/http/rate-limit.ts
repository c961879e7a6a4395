import { ApiError } from "../contract/errors.ts";
import type { RateLimiter, RatePolicy, RateVerdict } from "../control/rate-limit.ts";

/** A limit of requests per client address. */
export interface AddressLimit {
  limiter: RateLimiter;
  policy: RatePolicy;
}

/** The contract's three headers on every authenticated response, and Retry-After on a 429. */
export function rateHeaders(verdict: RateVerdict): Record<string, string> {
  return {
    "RateLimit-Limit": String(verdict.limit),
    "RateLimit-Remaining": String(verdict.remaining),
    "RateLimit-Reset": String(verdict.resetSeconds),
    ...(verdict.allowed ? {} : { "Retry-After": String(verdict.resetSeconds) }),
  };
}

/** The 429 for a workspace over its rate limit. */
export function rateExceeded(): ApiError {
  return new ApiError("TOO_MANY_REQUESTS", "The workspace's rate limit is exceeded");
}

/** Throws the 429 of a client that opens pages too fast. */
export async function takePage({ limiter, policy }: AddressLimit, client: string): Promise<void> {
  const verdict = await limiter.take(client, policy);
  if (!verdict.allowed)
    throw new ApiError("TOO_MANY_REQUESTS", "Too many pages are opened from this address", {
      headers: rateHeaders(verdict),
    });
}
