import type { RatePolicy } from "../control/rate-limit.ts";

/** Half at once and half over the day: no 24 hours have more than the whole. */
export function kibPerDay(megabytes: number): RatePolicy {
  const half = (megabytes * 1024) / 2;
  return { perSecond: half / 86_400, burst: half };
}

export function perMinute(count: number): RatePolicy {
  return { perSecond: count / 60, burst: count };
}
