import { createAskContract } from "../../accounts/ask-contract.ts";
import { createChallenges } from "../../accounts/challenges.ts";
import { createOidc, type OidcSettings } from "../../accounts/oidc.ts";
import { createPasswords, type Passwords } from "../../accounts/passwords.ts";
import { createMemoryLimiter, createRateLimiter, type RatePolicy } from "../../control/rate-limit.ts";
import type { AccountDeps } from "../../http/account/deps.ts";
import type { HttpMetrics } from "../../http/metrics.ts";
import { perMinute } from "../rate-policies.ts";

/** Guesses for one account: 10 at once and 2 a minute by one client, 100 at once and 100 an hour by all. */
const GUESSES_OF_CLIENT: RatePolicy = { perSecond: 2 / 60, burst: 10 };
const GUESSES_OF_ALL: RatePolicy = { perSecond: 100 / 3600, burst: 100 };
/** 380 a second of strangers made others wait 7 times as long; nobody has 20 people a second who sign in. */
const BEGINNINGS: RatePolicy = { perSecond: 20, burst: 100 };
const FAILURE_NOTES: RatePolicy = { perSecond: 20 / 3600, burst: 20 };

export interface AccountOptions {
  /** The OpenID Connect provider. */
  oidc?: OidcSettings | undefined;
  /** The JSON-RPC of the chain of contract wallets that may sign in. */
  walletRpcUrl?: string | undefined;
  /** Requests to sign in, per client address. */
  signInAddressPerMinute: number;
  /** Requests of one signed-in user. */
  apiRate: RatePolicy;
}

interface Deps
  extends Pick<AccountDeps, "store" | "clock" | "secret" | "sessions" | "publicApiUrl" | "eventsUrl" | "version"> {
  /** Hashes passwords; only tests set it, to a cheaper one. */
  passwords?: Passwords | undefined;
}

/** What sign-in and the routes of people need. */
export function makeAccountNeeds(options: AccountOptions, deps: Deps, metrics: HttpMetrics): AccountDeps {
  const { store, clock, secret, sessions, publicApiUrl, eventsUrl, version } = deps;
  return {
    store,
    clock,
    secret,
    sessions,
    passwords: deps.passwords ?? createPasswords(),
    challenges: createChallenges(secret),
    oidc: options.oidc === undefined ? undefined : createOidc(options.oidc),
    askContract: options.walletRpcUrl === undefined ? undefined : createAskContract(options.walletRpcUrl),
    signInLimits: {
      perAddress: {
        limiter: metrics.counting("sign_in_address", createMemoryLimiter()),
        policy: perMinute(options.signInAddressPerMinute),
      },
      perUser: { limiter: metrics.counting("user", createRateLimiter(store)), policy: options.apiRate },
      perAccount: { limiter: metrics.counting("account", createRateLimiter(store)), policy: GUESSES_OF_ALL },
      perAccountAndAddress: {
        limiter: metrics.counting("account_address", createMemoryLimiter()),
        policy: GUESSES_OF_CLIENT,
      },
      beginnings: { limiter: metrics.counting("sign_in_begin", createMemoryLimiter()), policy: BEGINNINGS },
      failureNotes: { limiter: createMemoryLimiter(), policy: FAILURE_NOTES },
    },
    publicApiUrl,
    eventsUrl,
    version,
  };
}
