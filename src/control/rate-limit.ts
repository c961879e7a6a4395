import { sql } from "kysely";
import type { ControlStore } from "./store.ts";

/** `perSecond` in the long run, and `burst` at once after a pause. */
export interface RatePolicy {
  perSecond: number;
  burst: number;
}

export interface RateVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until the next request is allowed (when refused) or until the full burst is back (when allowed). */
  resetSeconds: number;
}

export interface RateLimiter {
  take(subject: string, policy: RatePolicy): Promise<RateVerdict>;
}

/**
 * The generic cell rate algorithm: one number per subject, the time at which all that was taken will have been earned. It
 * needs no window, so there is no border at which twice the limit passes, and it is one atomic statement in SQL.
 */
export function createRateLimiter(store: ControlStore): RateLimiter {
  return store.backend.sharedBetweenNodes ? createSharedLimiter(store) : createMemoryLimiter();
}

const FORGET_ABOVE = 50_000;

/** For one process: monotonic time, so that a changed wall clock neither locks clients out nor lets them through. */
export function createMemoryLimiter(nowUs: () => number = () => Math.floor(performance.now() * 1000)): RateLimiter {
  const arrivals = new Map<string, number>();
  return {
    async take(subject, policy) {
      const now = nowUs();
      const step = 1e6 / policy.perSecond;
      const next = Math.max(arrivals.get(subject) ?? 0, now) + step;
      const allowed = next - now <= policy.burst * step;
      if (allowed) arrivals.set(subject, next);
      if (arrivals.size > FORGET_ABOVE) for (const [key, at] of arrivals) if (at <= now) arrivals.delete(key);
      return verdict(policy, allowed, (allowed ? next : next - step) - now);
    },
  };
}

/** For many nodes: the database's clock and row lock decide, in one round trip unless the request is refused. */
function createSharedLimiter(store: ControlStore): RateLimiter {
  return {
    async take(subject, policy) {
      const step = Math.round(1e6 / policy.perSecond);
      const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;
      const taken = await sql<{ ahead: number }>`
        insert into rate_limits as r (subject, tat_us) values (${subject}, ${now} + ${step}::bigint)
        on conflict (subject) do update set tat_us = greatest(r.tat_us, ${now}) + ${step}::bigint
          where greatest(r.tat_us - ${now}, 0) + ${step}::bigint <= ${step * policy.burst}::bigint
        returning tat_us - ${now} as ahead`.execute(store.read);
      const ahead = taken.rows[0]?.ahead;
      if (ahead !== undefined) return verdict(policy, true, ahead);
      const refused = await sql<{ ahead: number }>`
        select tat_us - ${now} as ahead from rate_limits where subject = ${subject}`.execute(store.read);
      return verdict(policy, false, refused.rows[0]?.ahead ?? step * policy.burst);
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
