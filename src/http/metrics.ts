import { Counter, collectDefaultMetrics, Histogram, type Registry } from "prom-client";
import type { RateLimiter, RateVerdict } from "../control/rate-limit.ts";
import { createLateCounter } from "../lib/late-counter.ts";

interface Answered {
  server: string;
  method: string;
  route: string;
  status: number;
}

export interface HttpMetrics {
  /** Without seconds it is counted only. */
  observe(labels: Answered, seconds: number | undefined): void;
  /** The same with cached labels, for labels that repeat. */
  observer(labels: Answered): (seconds: number) => void;
  /** The same limiter, with its refusals counted under a name. */
  counting(limit: LimitName, limiter: RateLimiter): RateLimiter;
}

/**
 * `api` and `events`: requests of a workspace. `failed_auth`, `form_address` and `page_address`: requests of one
 * client. `form` and `form_bytes`: posts and KiB to one form. `user`: requests of a signed-in user. `sign_in_address`,
 * `account` and `account_address`: attempts to sign in from one client, to one account, and from one client to one.
 * `sign_in_begin`: beginnings with passkeys and wallets by all strangers. `link`: requests with one public link.
 * `link_guess` and `link_guess_address`: attempts to type its password, by all strangers and by one client.
 */
const LIMIT_NAMES = [
  "api",
  "events",
  "failed_auth",
  "form_address",
  "form",
  "form_bytes",
  "page_address",
  "user",
  "sign_in_address",
  "sign_in_begin",
  "account",
  "account_address",
  "link",
  "link_guess",
  "link_guess_address",
] as const;
type LimitName = (typeof LIMIT_NAMES)[number];

const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

function registerMetrics(registry: Registry) {
  const requests = createLateCounter({
    name: "sextant_http_requests_total",
    help: "HTTP answers by server, method, route pattern and status.",
    labelNames: ["server", "method", "route", "status"],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: "sextant_http_request_seconds",
    help: "Time from the first byte of a request to the end of its answer.",
    labelNames: ["server", "route"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const limited = new Counter({
    name: "sextant_limited_total",
    help: `Requests that a rate limit refused: ${LIMIT_NAMES.join(", ")}.`,
    labelNames: ["limit"],
    registers: [registry],
  });
  return { requests, seconds, limited };
}

export function createHttpMetrics(registry: Registry): HttpMetrics {
  collectDefaultMetrics({ register: registry });
  const { requests, seconds, limited } = registerMetrics(registry);
  return {
    counting(limit, limiter) {
      const refusals = limited.labels({ limit });
      // Starts at 0, so that the first refusal is an increase.
      refusals.inc(0);
      const count = <T extends RateVerdict | undefined>(verdict: T): T => {
        if (verdict?.allowed === false) refusals.inc();
        return verdict;
      };
      const { takeNow } = limiter;
      return {
        take: async (subject, policy) => count(await limiter.take(subject, policy)),
        ...(takeNow ? { takeNow: (subject, policy, cost) => count(takeNow(subject, policy, cost)) } : {}),
        charge: limiter.charge,
      };
    },
    observer({ server, method, route, status }) {
      const count = requests.adder({ server, method, route, status });
      const time = seconds.labels({ server, route });
      return (elapsed) => {
        count(1);
        time.observe(elapsed);
      };
    },
    observe({ server, method, route, status }, elapsed) {
      // A client chooses the method name. Only known ones become a label, so that clients cannot grow our memory.
      requests.inc({ server, method: KNOWN_METHODS.has(method) ? method : "other", route, status });
      if (elapsed !== undefined) seconds.observe({ server, route }, elapsed);
    },
  };
}
