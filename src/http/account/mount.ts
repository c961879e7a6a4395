import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SignedIn } from "../../accounts/authenticate-session.ts";
import { ApiError } from "../../contract/errors.ts";
import { clientGroup } from "../auth.ts";
import { sendAnswer } from "../mount.ts";
import { rateHeaders } from "../rate-limit.ts";
import type { AccountRoute } from "../route.ts";
import type { Validate } from "../validate.ts";
import type { AccountDeps } from "./deps.ts";
import { pageOrigin, refuseCrossSite, refuseOtherTypes } from "./own-origin.ts";
import { extendCookie, findSignedIn } from "./principal.ts";

/** What every route of people needs. */
export type AccountMountDeps = Pick<AccountDeps, "clock" | "sessions" | "signInLimits" | "publicApiUrl">;

/** No body of an account is longer; a passkey with its attestation has a few kilobytes. */
const BODY_BYTES = 64 * 1024;
const signedInUsers = new WeakMap<FastifyRequest, SignedIn>();

/**
 * Routes of people: no API key leads here, and no answer is kept for replays, because answers set cookies. The order is
 * that of mount.ts: origin, credential, limit, body, validation.
 */
export function mountAccountRoute(
  app: FastifyInstance,
  route: AccountRoute,
  validate: Validate,
  deps: AccountMountDeps,
): void {
  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!route.fromElsewhere) refuseCrossSite(request.headers, deps.publicApiUrl());
    if (route.method !== "GET") refuseOtherTypes(request.headers);
    const signedIn = route.fromElsewhere ? undefined : await findSignedIn(deps.sessions, request, deps.publicApiUrl());
    if (route.access === "user" && signedIn === undefined) throw new ApiError("UNAUTHORIZED", "Sign in first");
    await takeRequest(deps, request, signedIn);
    if (signedIn === undefined) return;
    signedInUsers.set(request, signedIn);
    await extendCookie(deps, request, reply, signedIn);
  };
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: BODY_BYTES,
    onRequest: admit,
    handler: async (request, reply) => {
      const parts = { params: request.params, query: request.query, body: request.body };
      const nowMs = deps.clock.nowMs();
      validate(parts, nowMs);
      const answer = await route.act({
        ...parts,
        signedIn: signedInUsers.get(request),
        userAgent: request.headers["user-agent"] ?? "",
        cookies: request.headers.cookie,
        client: clientGroup(request.ip),
        origin: pageOrigin(request.headers, deps.publicApiUrl()),
        nowMs,
        log: request.log,
      });
      return sendAnswer(reply, answer);
    },
  });
}

async function takeRequest(
  { signInLimits: limits }: AccountMountDeps,
  request: FastifyRequest,
  signedIn: SignedIn | undefined,
) {
  const { limiter, policy } = signedIn ? limits.perUser : limits.perAddress;
  const verdict = await limiter.take(signedIn?.user.id ?? clientGroup(request.ip), policy);
  if (!verdict.allowed)
    throw new ApiError("TOO_MANY_REQUESTS", "Too many requests; wait a moment", { headers: rateHeaders(verdict) });
}
