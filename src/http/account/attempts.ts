import { ApiError } from "../../contract/errors.ts";
import type { RateVerdict } from "../../control/rate-limit.ts";
import { rateHeaders } from "../rate-limit.ts";
import type { AccountRequest, AttemptNeeds } from "./deps.ts";
import { findKnownClient, subjectOf } from "./known-client.ts";

/**
 * Counts an attempt for an account, by the name or id that was sent. Throws 429 when there were too many, after
 * `onLock`.
 */
export async function takeAttempt(
  deps: AttemptNeeds,
  request: AccountRequest,
  account: string,
  onLock?: () => void,
): Promise<void> {
  const { signInLimits: limits } = deps;
  const subject = subjectOf(account);
  const known = findKnownClient(deps, request);
  const pair = limits.perAccountAndAddress;
  const isKnown = known?.subject === subject;
  const own = await pair.limiter.take(`sign-in ${subject} ${isKnown ? known.clientId : request.client}`, pair.policy);
  // Of a client that signed in before only its own attempts count.
  const all = isKnown ? own : await limits.perAccount.limiter.take(`sign-in ${subject}`, limits.perAccount.policy);
  for (const verdict of [own, all])
    if (!verdict.allowed) {
      onLock?.();
      throw tooMany(verdict);
    }
}

/** Counts the attempt of a signed-in user to prove the current password. Strangers cannot use these up. */
export async function takeOwnAttempt(
  { signInLimits }: Pick<AttemptNeeds, "signInLimits">,
  userId: string,
): Promise<void> {
  const { limiter, policy } = signInLimits.perAccountAndAddress;
  const verdict = await limiter.take(`own password ${userId}`, policy);
  if (!verdict.allowed) throw tooMany(verdict);
}

/** Counts the beginnings of strangers together: a flood from many addresses is one flood. */
export async function takeBeginning(deps: AttemptNeeds, request: AccountRequest): Promise<void> {
  const known = findKnownClient(deps, request);
  const { limiter, policy } = known === undefined ? deps.signInLimits.beginnings : deps.signInLimits.perAddress;
  const verdict = await limiter.take(known === undefined ? "strangers" : `known ${known.clientId}`, policy);
  if (!verdict.allowed) throw tooMany(verdict);
}

function tooMany(verdict: RateVerdict): ApiError {
  return new ApiError("TOO_MANY_REQUESTS", "Too many attempts to sign in; wait a moment", {
    headers: rateHeaders(verdict),
  });
}
