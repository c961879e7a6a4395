const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * How long to wait before each attempt, counted from the end of the one before: ten attempts over 75 hours and 35 minutes, so
 * that a target which breaks on a Friday evening is still tried on Monday night.
 */
export const GAPS_MS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** Spreads what failed together; only ever adds. */
const JITTER = 0.1;
const RETRY_AFTER_MAX_MS = 24 * HOUR;
/** No wait is longer. One that seems to be comes from a clock that was wrong when it was written. */
export const LONGEST_GAP_MS = Math.max(...GAPS_MS) * (1 + JITTER);

/**
 * When the next attempt is due after `tries` failed ones, or undefined when there is none left. A target may ask for more time
 * (Retry-After), never for less. `random` gives 0 to 1.
 */
export function nextAttemptAt(
  tries: number,
  endedAtMs: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number | undefined {
  const gap = GAPS_MS[tries];
  if (gap === undefined) return undefined;
  const asked = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS);
  return Math.ceil(endedAtMs + Math.max(gap * (1 + JITTER * random()), asked));
}
