/** What the handler and the fast path have in common: their dependencies, and who a request comes from. */
import type { IncomingMessage } from "node:http";
import type { RateLimiter, RatePolicy } from "../../control/rate-limit.ts";
import type { ControlStore } from "../../control/store.ts";
import type { Sender, WriteKeyRing } from "../../control/write-key-ring.ts";
import type { AcceptDeps } from "../../ingest/accept.ts";
import type { Clock } from "../../lib/clock.ts";
import { bearerOf, type FailedAuth } from "../auth.ts";
import type { BodyBudget } from "./body-budget.ts";

export interface EventsDeps {
  keys: WriteKeyRing;
  failures: FailedAuth;
  limiter: RateLimiter;
  ratePolicy: RatePolicy;
  accept: AcceptDeps;
  budget: BodyBudget;
  store: ControlStore;
  clock: Clock;
  /** The visitor's country as a trusted proxy in front of us knows it. */
  countryOf(request: Pick<IncomingMessage, "headers" | "socket">): string | undefined;
}

/** Undefined without a write key, and for one that is not known. */
export function findSender(keys: WriteKeyRing, headers: IncomingMessage["headers"]): Sender | undefined {
  const text = bearerOf(headers);
  return text === undefined ? undefined : keys.find(text);
}
