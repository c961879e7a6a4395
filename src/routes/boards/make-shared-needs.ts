import { createMemoryLimiter, createRateLimiter, type RateLimiter, type RatePolicy } from "../../control/rate-limit.ts";
import type { ControlStore } from "../../control/store.ts";
import type { HttpMetrics } from "../../http/metrics.ts";
import { perMinute } from "../rate-policies.ts";

/** As for accounts: 10 at once and 2 a minute by one client, 100 at once and 100 an hour by all. */
const GUESSES_OF_CLIENT: RatePolicy = { perSecond: 2 / 60, burst: 10 };
const GUESSES_OF_ALL: RatePolicy = { perSecond: 100 / 3600, burst: 100 };
/** A board of 12 charts is 13 requests: 230 viewers within a minute. One address alone has fewer (`page_address`). */
const LINK_PER_MINUTE = 3_000;

interface Limit {
  limiter: RateLimiter;
  policy: RatePolicy;
}

export interface SharedLimits {
  /** Requests with one link, and the engine's time for them. */
  perLink: Limit;
  /** Attempts to type the password of one link, by one client and by all strangers. */
  guesses: Limit;
  allGuesses: Limit;
}

export function makeSharedLimits(store: ControlStore, metrics: HttpMetrics): SharedLimits {
  return {
    perLink: { limiter: metrics.counting("link", createRateLimiter(store)), policy: perMinute(LINK_PER_MINUTE) },
    guesses: { limiter: metrics.counting("link_guess_address", createMemoryLimiter()), policy: GUESSES_OF_CLIENT },
    allGuesses: { limiter: metrics.counting("link_guess", createRateLimiter(store)), policy: GUESSES_OF_ALL },
  };
}
