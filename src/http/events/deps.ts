/** Shared by the handler and the fast path: their dependencies, and the sender of a request. */
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { RateLimiter, RatePolicy } from "../../control/rate-limit.ts";
import type { ControlStore } from "../../control/store.ts";
import type { Sender, WriteKeyRing } from "../../control/write-key-ring.ts";
import type { AcceptDeps } from "../../ingest/accept.ts";
import type { Clock } from "../../lib/clock.ts";
import { type FailedAuth, writeKeyOf } from "../auth.ts";
import type { BodyBudget } from "./body-budget.ts";
import type { UnknownKeys } from "./unknown-keys.ts";

export interface EventsDeps {
  keys: WriteKeyRing;
  failures: FailedAuth;
  unknownKeys: UnknownKeys;
  limiter: RateLimiter;
  ratePolicy: RatePolicy;
  /** The decoded bytes that cost a workspace one more request. */
  bytesPerRequest: number;
  accept: AcceptDeps;
  budget: BodyBudget;
  store: ControlStore;
  clock: Clock;
  /** The visitor's country according to a trusted proxy. */
  countryOf(request: Pick<IncomingMessage, "headers" | "socket">): string | undefined;
}

/** Undefined without a write key and for an unknown one. */
export function findSender(keys: WriteKeyRing, headers: IncomingMessage["headers"]): Sender | undefined {
  const text = writeKeyOf(headers);
  return text === undefined ? undefined : keys.find(text);
}

const senders = new WeakMap<FastifyRequest, Sender>();

/** Who sent a request that was let in. */
export function senderOf(request: FastifyRequest): Sender {
  const sender = senders.get(request);
  if (sender === undefined) throw new Error("the body of an events request is read without a sender");
  return sender;
}

export function rememberSender(request: FastifyRequest, sender: Sender): void {
  senders.set(request, sender);
}
