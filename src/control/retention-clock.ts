/**
 * Retention cannot be undone, so it does not trust a clock that is ahead: one set to 2038 would remove everything. A
 * run is skipped and shown as paused if the clock contradicts that of a store, or if it is days away from the last run
 * and no store's clock confirms it. After a longer stop, the operator runs `sextant retention resume`. A clock that is
 * days behind pauses, too: a machine without a battery clock starts in the past, and a run recorded then would pause
 * retention as soon as the clock is set.
 */
import { DAY_MS } from "../lib/time.ts";

/** Runs are hourly. A service that was stopped for a long weekend resumes by itself. */
export const LONGEST_GAP_MS = 3 * DAY_MS;
/** Clocks of nodes may differ by seconds: doctor fails at 10 s. */
const CONTRADICTION_MS = 10 * 60_000;

/** Why the clock is not trusted; undefined if it is. */
export function findClockProblem(clocks: {
  nowMs: number;
  /** The last run for this kind of rows. */
  lastRunMs: number | undefined;
  /** The clocks of stores on other machines. */
  otherMs: readonly number[];
}): string | undefined {
  const { nowMs, lastRunMs, otherMs } = clocks;
  if (otherMs.some((theirs) => Math.abs(theirs - nowMs) > CONTRADICTION_MS))
    return "this machine's clock and that of a store differ by more than 10 minutes";
  const gapMs = nowMs - (lastRunMs ?? nowMs);
  if (otherMs.length > 0 || Math.abs(gapMs) <= LONGEST_GAP_MS) return undefined;
  const days = Math.floor(Math.abs(gapMs) / DAY_MS);
  const side = gapMs > 0 ? "past" : "before";
  return `the clock is ${days} days ${side} the last run: if it is right, run \`sextant retention resume\``;
}
