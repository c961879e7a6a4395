import { ApiError } from "../contract/errors.ts";
import type { RateVerdict } from "../control/rate-limit.ts";

/** The contract's three headers on every authenticated answer; Retry-After beside them when the answer is 429. */
export function rateHeaders(verdict: RateVerdict): Record<string, string> {
  return {
    "RateLimit-Limit": String(verdict.limit),
    "RateLimit-Remaining": String(verdict.remaining),
    "RateLimit-Reset": String(verdict.resetSeconds),
    ...(verdict.allowed ? {} : { "Retry-After": String(verdict.resetSeconds) }),
  };
}

/** The 429 of a workspace whose requests come too fast. */
export function rateExceeded(): ApiError {
  return new ApiError("TOO_MANY_REQUESTS", "The workspace's rate limit is exceeded");
}
