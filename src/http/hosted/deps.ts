import type { Challenges } from "../../accounts/challenges.ts";
import type { AskContract } from "../../accounts/siwe.ts";
import type { RateLimiter, RatePolicy, RateVerdict } from "../../control/rate-limit.ts";
import type { ControlStore } from "../../control/store.ts";
import type { PageTokens } from "../../forms/page-token.ts";
import type { Clock } from "../../lib/clock.ts";
import type { WarnLog } from "../../lib/tolerate.ts";
import type { AddressLimit } from "../rate-limit.ts";
import type { KeptPages } from "./kept-pages.ts";

/** A request to a hosted page, from a browser or from a program. */
export interface HostedRequest {
  formId: string;
  query: Record<string, unknown>;
  /** Parsed JSON, or the values of an HTML form. */
  body: unknown;
  rawBody: Buffer;
  method: string;
  url: string;
  idempotencyKey: string | undefined;
  /** The origin of the page, one of our own. */
  origin: string;
  /** True when the caller expects a page and not JSON. */
  wantsPage: boolean;
  /** Where the client's address is over its limit of posts, and yet the answers are read to be given back. */
  overLimit: RateVerdict | undefined;
  log: WarnLog;
}

/** What the pages of forms need. */
export interface HostedDeps {
  store: ControlStore;
  clock: Clock;
  tokens: PageTokens;
  pages: KeptPages;
  perAddress: AddressLimit;
  perForm: { limiter: RateLimiter; policy: RatePolicy };
  /** KiB of submissions to one form. */
  formBytes: { limiter: RateLimiter; policy: RatePolicy };
  /** False while the disk of the control store has only its reserve left. */
  hasDiskRoom: () => Promise<boolean>;
  perReader: AddressLimit;
  /** Answers given back to people who are over the limit of their address. */
  givenBack: RateLimiter;
  wakeDelivery: () => void;
  publicApiUrl: () => string;
  /** For wallets that prove themselves. */
  challenges: Challenges;
  askContract: AskContract | undefined;
  /** Questions to contract wallets by the visitors of one form. */
  contractAsks: { limiter: RateLimiter; policy: RatePolicy };
}
