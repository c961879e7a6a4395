import { sql } from "kysely";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { LateError, withTimeout } from "../lib/timeout.ts";
import type { ControlStore } from "./store.ts";

/** `perSecond` on average, and `burst` at once after a pause. */
export interface RatePolicy {
  perSecond: number;
  burst: number;
}

export interface RateVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until the next request is allowed (if refused) or until the full burst is available (if allowed). */
  resetSeconds: number;
}

export interface RateLimiter {
  take(subject: string, policy: RatePolicy): Promise<RateVerdict>;
  /** The same without a store, from memory; undefined if the store must be queried. */
  takeNow?(subject: string, policy: RatePolicy, cost?: number): RateVerdict | undefined;
  /**
   * Charges a request that was allowed for what it cost beyond one. It never refuses: a subject may owe up to one
   * burst, and its next requests wait until that is earned.
   */
  charge(subject: string, policy: RatePolicy, cost: number): Promise<RateVerdict>;
}

/** Takes several requests at once, all or none. */
interface BlockLimiter {
  take(subject: string, policy: RatePolicy, count?: number): Promise<RateVerdict>;
  charge: RateLimiter["charge"];
}

/**
 * The generic cell rate algorithm (GCRA): one number per subject, the theoretical arrival time. It has no window, so
 * twice the limit cannot pass at a window's edge. Written by hand: it is one atomic SQL statement, and the same number
 * in memory; limiters on npm need Redis to share a limit, or count in windows.
 */
export function createRateLimiter(store: ControlStore): RateLimiter {
  return store.backend.sharedBetweenNodes ? createSharedLimiter(store) : createMemoryLimiter();
}

/**
 * For paths that must not query a store for every request. A node takes a tenth of a second's allowance as a block and
 * spends it from memory. It loses what it does not spend within a second, so n nodes together may allow n blocks less
 * than the limit. While the store is unavailable, each node applies the limit by itself: accepting events matters more
 * than their exact rate.
 */
export function createBlockRateLimiter(store: ControlStore, nowMs: NowMs = () => performance.now()): RateLimiter {
  const local = createMemoryLimiter(() => Math.floor(nowMs() * 1000));
  if (!store.backend.sharedBetweenNodes) return local;
  const isUnavailable = (cause: unknown) => cause instanceof LateError || store.isUnavailable(cause);
  return preferShared({ shared: spendBlocks(createSharedLimiter(store), nowMs), local, isUnavailable, nowMs });
}

type NowMs = () => number;

/** A request waits 1 s for a store that hangs. After that, the store is not queried for 5 s. */
const ASK_MS = 1_000;
const UNAVAILABLE_MS = 5_000;

interface Choice {
  shared: RateLimiter;
  local: RateLimiter;
  isUnavailable: (cause: unknown) => boolean;
  nowMs: NowMs;
}

function preferShared({ shared, local, isUnavailable, nowMs }: Choice): RateLimiter {
  let unavailableUntilMs = Number.NEGATIVE_INFINITY;
  const choose = () => (nowMs() < unavailableUntilMs ? local : shared);
  async function ask(work: (limiter: RateLimiter) => Promise<RateVerdict>): Promise<RateVerdict> {
    try {
      return await withTimeout(ASK_MS, work(choose()));
    } catch (cause) {
      if (!isUnavailable(cause)) throw cause;
      unavailableUntilMs = nowMs() + UNAVAILABLE_MS;
      return work(local);
    }
  }
  return {
    takeNow: (subject, policy, cost) => choose().takeNow?.(subject, policy, cost),
    take: (subject, policy) => ask((limiter) => limiter.take(subject, policy)),
    charge: (subject, policy, cost) => ask((limiter) => limiter.charge(subject, policy, cost)),
  };
}

const BLOCKS_PER_SECOND = 10;
const BLOCK_MS = 1_000;

interface Block {
  left: number;
  untilMs: number;
  verdict: RateVerdict;
}

function spendBlocks(shared: BlockLimiter, nowMs: NowMs): RateLimiter {
  const blocks = new BoundedCache<Block>(FORGET_ABOVE);
  const asking = new Map<string, Promise<void>>();

  async function ask(subject: string, policy: RatePolicy): Promise<void> {
    const size = Math.max(1, Math.floor(policy.perSecond / BLOCKS_PER_SECOND));
    const owed = -(blocks.find(subject)?.left ?? 0);
    if (owed > 0) await shared.charge(subject, policy, owed);
    let verdict = await shared.take(subject, policy, size);
    let left = verdict.allowed ? size : 0;
    if (!verdict.allowed && size > 1) {
      verdict = await shared.take(subject, policy);
      left = verdict.allowed ? 1 : 0;
    }
    blocks.put(subject, { left, untilMs: nowMs() + BLOCK_MS, verdict });
  }

  function spend(block: Block, cost = 1): RateVerdict {
    block.left -= cost;
    return { ...block.verdict, remaining: Math.max(0, block.verdict.remaining + block.left), allowed: true };
  }

  return {
    takeNow(subject, _policy, cost) {
      const block = blocks.find(subject);
      return block !== undefined && block.left > 0 && block.untilMs >= nowMs() ? spend(block, cost) : undefined;
    },
    async charge(subject, policy, cost) {
      const block = blocks.find(subject);
      return block === undefined ? shared.charge(subject, policy, cost) : spend(block, cost);
    },
    async take(subject, policy) {
      let block = blocks.find(subject);
      if (block === undefined || block.left <= 0 || block.untilMs < nowMs()) {
        const pending = asking.get(subject) ?? ask(subject, policy).finally(() => asking.delete(subject));
        asking.set(subject, pending);
        await pending;
        block = blocks.find(subject);
      }
      if (block === undefined || block.left <= 0)
        return { limit: policy.burst, remaining: 0, resetSeconds: 1, ...block?.verdict, allowed: false };
      return spend(block);
    },
  };
}

const FORGET_ABOVE = 50_000;

/**
 * For one process. Monotonic time: a change of the wall clock neither blocks clients nor lets them exceed the limit.
 */
export function createMemoryLimiter(nowUs: () => number = () => Math.floor(performance.now() * 1000)): RateLimiter {
  const arrivals = new Map<string, number>();
  const spend = (subject: string, policy: RatePolicy, cost: number, mustFit: boolean): RateVerdict => {
    const now = nowUs();
    const step = 1e6 / policy.perSecond;
    const full = policy.burst * step;
    const earned = Math.max(arrivals.get(subject) ?? 0, now);
    const allowed = !mustFit || earned + step - now <= full;
    const next = allowed ? Math.min(earned + step * cost, Math.max(earned, now + full * 2)) : earned;
    if (allowed) arrivals.set(subject, next);
    if (arrivals.size > FORGET_ABOVE) for (const [key, at] of arrivals) if (at <= now) arrivals.delete(key);
    return verdict(policy, allowed, next - now);
  };
  const takeNow = (subject: string, policy: RatePolicy, cost = 1) => spend(subject, policy, cost, true);
  return {
    takeNow,
    take: async (subject, policy) => takeNow(subject, policy),
    charge: async (subject, policy, cost) => spend(subject, policy, cost, false),
  };
}

/**
 * For several nodes. The database's clock and row lock decide, in one round trip unless the request is refused. A
 * stored time further ahead than any burst was written before a clock was set back, and is ignored.
 */
function createSharedLimiter(store: ControlStore): BlockLimiter {
  return {
    async take(subject, policy, count = 1) {
      const full = Math.round((1e6 / policy.perSecond) * policy.burst);
      const step = Math.round((1e6 / policy.perSecond) * count);
      const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;
      const taken = await sql<{ ahead: number }>`
        insert into rate_limits as r (subject, tat_us) values (${subject}, ${now} + ${step}::bigint)
        on conflict (subject) do update
          set tat_us = greatest(least(r.tat_us, ${now} + ${full}::bigint), ${now}) + ${step}::bigint
          where greatest(least(r.tat_us - ${now}, ${full}::bigint), 0) + ${step}::bigint <= ${full}::bigint
            or r.tat_us > ${now} + ${full * 2}::bigint
        returning tat_us - ${now} as ahead`.execute(store.read);
      const ahead = taken.rows[0]?.ahead;
      if (ahead !== undefined) return verdict(policy, true, ahead);
      const refused = await sql<{ ahead: number }>`
        select tat_us - ${now} as ahead from rate_limits where subject = ${subject}`.execute(store.read);
      return verdict(policy, false, refused.rows[0]?.ahead ?? full);
    },
    async charge(subject, policy, cost) {
      const full = Math.round((1e6 / policy.perSecond) * policy.burst);
      const step = Math.round((1e6 / policy.perSecond) * cost);
      const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;
      const owed = await sql<{ ahead: number }>`
        insert into rate_limits as r (subject, tat_us) values (${subject}, ${now} + ${Math.min(step, full * 2)}::bigint)
        on conflict (subject) do update set tat_us = least(greatest(r.tat_us, ${now}) + ${step}::bigint, ${now} + ${full * 2}::bigint)
        returning tat_us - ${now} as ahead`.execute(store.read);
      return verdict(policy, true, owed.rows[0]?.ahead ?? step);
    },
  };
}

function verdict(policy: RatePolicy, allowed: boolean, aheadUs: number): RateVerdict {
  const step = 1e6 / policy.perSecond;
  const remaining = Math.max(0, Math.min(policy.burst, Math.floor(policy.burst - aheadUs / step + 1e-6)));
  const waitUs = allowed ? aheadUs : aheadUs + step - policy.burst * step;
  return {
    allowed,
    limit: policy.burst,
    remaining: allowed ? remaining : 0,
    resetSeconds: Math.max(1, Math.ceil(waitUs / 1e6)),
  };
}
