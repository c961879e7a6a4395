import { createAskContract } from "../../accounts/ask-contract.ts";
import { createChallenges } from "../../accounts/challenges.ts";
import { createMemoryLimiter, createRateLimiter } from "../../control/rate-limit.ts";
import { createPageTokens } from "../../forms/page-token.ts";
import type { HostedDeps } from "../../http/hosted/deps.ts";
import { createKeptPages } from "../../http/hosted/kept-pages.ts";
import type { HttpMetrics } from "../../http/metrics.ts";
import { kibPerDay, perMinute } from "../rate-policies.ts";

/** Strangers cause them: a form would otherwise pass 6000 a minute on to somebody else's chain node. */
const CONTRACT_ASKS_PER_MINUTE = 120;

/** Limits of posts to hosted forms, per client address and per form. */
export interface HostedOptions {
  formAddressPerMinute: number;
  formPerMinute: number;
  formMbPerDay: number;
  /** The JSON-RPC of the chain of contract wallets. */
  walletRpcUrl?: string | undefined;
}

interface Deps extends Pick<HostedDeps, "store" | "clock" | "wakeDelivery" | "publicApiUrl" | "perReader"> {
  secret: Buffer;
  /** False while the disk of the control store has only its reserve left; by default there is always room. */
  hasDiskRoom?: HostedDeps["hasDiskRoom"] | undefined;
}

/** What the pages of forms need. */
export function makeHosted(options: HostedOptions, deps: Deps, metrics: HttpMetrics): HostedDeps {
  return {
    store: deps.store,
    clock: deps.clock,
    tokens: createPageTokens(deps.secret),
    pages: createKeptPages(),
    // Addresses stay in this process's memory; all nodes share the limit of a form.
    perAddress: {
      limiter: metrics.counting("form_address", createMemoryLimiter()),
      policy: perMinute(options.formAddressPerMinute),
    },
    perForm: {
      limiter: metrics.counting("form", createRateLimiter(deps.store)),
      policy: perMinute(options.formPerMinute),
    },
    formBytes: {
      limiter: metrics.counting("form_bytes", createRateLimiter(deps.store)),
      policy: kibPerDay(options.formMbPerDay),
    },
    hasDiskRoom: deps.hasDiskRoom ?? (async () => true),
    givenBack: createMemoryLimiter(),
    wakeDelivery: deps.wakeDelivery,
    publicApiUrl: deps.publicApiUrl,
    perReader: deps.perReader,
    challenges: createChallenges(deps.secret),
    askContract: options.walletRpcUrl === undefined ? undefined : createAskContract(options.walletRpcUrl),
    contractAsks: { limiter: createMemoryLimiter(), policy: perMinute(CONTRACT_ASKS_PER_MINUTE) },
  };
}
