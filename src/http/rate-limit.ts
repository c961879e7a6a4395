import { ApiError } from "../contract/errors.ts";
import type { RateVerdict } from "../control/rate-limit.ts";

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
