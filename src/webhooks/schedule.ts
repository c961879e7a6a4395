const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * The retry schedule: the gap before each attempt, measured from the end of the previous one. Ten attempts cover 75
 * hours and 35 minutes, so a target that breaks on Friday evening is still tried on Monday night.
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

/** Spreads the retries of deliveries that failed together. It only adds to a gap. */
const JITTER = 0.1;
const RETRY_AFTER_MAX_MS = 24 * HOUR;
/** The longest wait. A longer one was written under a wrong clock. */
export const LONGEST_GAP_MS = Math.max(...GAPS_MS) * (1 + JITTER);

/**
 * When the next attempt is due after `tries` failed ones; undefined when none is left. A target may ask for a longer
 * wait (Retry-After), never for a shorter one. `random` returns 0 to 1.
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
