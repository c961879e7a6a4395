import type { SessionAuth } from "../../accounts/authenticate-session.ts";
import type { Challenges } from "../../accounts/challenges.ts";
import type { Oidc } from "../../accounts/oidc.ts";
import type { Passwords } from "../../accounts/passwords.ts";
import type { AskContract } from "../../accounts/siwe.ts";
import type { Visit } from "../../accounts/visit.ts";
import type { RateLimiter, RatePolicy } from "../../control/rate-limit.ts";
import type { ControlStore } from "../../control/store.ts";
import type { Clock } from "../../lib/clock.ts";

/** What the routes of accounts and sign-in need. */
export interface AccountDeps {
  store: ControlStore;
  clock: Clock;
  secret: Buffer;
  sessions: SessionAuth;
  passwords: Passwords;
  challenges: Challenges;
  /** Undefined where no RPC URL is set: then only ordinary accounts sign in. */
  askContract: AskContract | undefined;
  signInLimits: SignInLimits;
  /** Undefined where no provider is set. */
  oidc: Oidc | undefined;
  publicApiUrl: () => string;
  eventsUrl: () => string;
  version: string;
}

interface Limit {
  limiter: RateLimiter;
  policy: RatePolicy;
}

/**
 * Attempts are counted before a password is compared: a limit of failures alone would still let the right guess
 * through.
 */
export interface SignInLimits {
  /** Requests of one client address that is not signed in, in memory. */
  perAddress: Limit;
  /** Requests of one signed-in user. */
  perUser: Limit;
  /** Attempts for one account by all clients. */
  perAccount: Limit;
  /** Attempts for one account by one client: fewer, so that one client alone cannot lock somebody out. */
  perAccountAndAddress: Limit;
  /** Beginnings with passkeys and wallets of all clients that nobody signed in from before. */
  beginnings: Limit;
  /** Entries of the audit log about failed attempts, for one account. */
  failureNotes: Limit;
}

/** What answering with a new session needs. */
export type SessionNeeds = Pick<
  AccountDeps,
  "store" | "secret" | "sessions" | "publicApiUrl" | "eventsUrl" | "version"
>;

/** What counting attempts to sign in needs. */
export type AttemptNeeds = Pick<AccountDeps, "signInLimits" | "secret" | "publicApiUrl">;

export interface AccountRequest<Q = unknown, P = unknown, B = unknown> extends Visit {
  query: Q;
  params: P;
  body: B;
  /** The Cookie header. */
  cookies: string | undefined;
  /** The client's address, for limits in memory. */
  client: string;
}
