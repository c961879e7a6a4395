import type { FastifyReply, FastifyRequest } from "fastify";
import type { RateLimiter, RatePolicy } from "../control/rate-limit.ts";
import { tolerate } from "../lib/tolerate.ts";
import { rateHeaders } from "./rate-limit.ts";
import { reportCost } from "./request-cost.ts";

/** Takes the engine's time off what the workspace may ask. */
export async function chargeEngine(
  { limiter, ratePolicy }: { limiter: RateLimiter; ratePolicy: RatePolicy },
  request: FastifyRequest,
  reply: FastifyReply,
  workspaceId: string,
  engineMs: number,
): Promise<void> {
  const cost = reportCost(engineMs);
  if (cost === 0) return;
  const charged = limiter.charge(workspaceId, ratePolicy, cost);
  const verdict = await tolerate(charged, request.log, "a report that is not charged is answered");
  // The end of a streamed answer comes after its headers.
  if (verdict && !reply.raw.headersSent) reply.headers(rateHeaders(verdict));
}
