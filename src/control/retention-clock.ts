/**
 * What retention removes is gone for good, so it does not trust a clock that is ahead: one set to 2038 would remove everything. A run is skipped, and
 * shown as paused, when the clock contradicts a store's, or when it is days beyond the last run and no store's clock confirms it. A service that was
 * stopped for longer than that waits for `sextant retention resume`.
 */
import { DAY_MS } from "../lib/time.ts";

/** Runs come every hour; a long weekend without the service needs nobody. */
export const LONGEST_GAP_MS = 3 * DAY_MS;
/** Nodes may differ by seconds: doctor fails at 10 s. */
const CONTRADICTION_MS = 10 * 60_000;

/** Why the clock is not trusted, or undefined. */
export function findClockProblem(clocks: {
  nowMs: number;
  /** When this kind of rows was last searched for. */
  lastRunMs: number | undefined;
  /** Of stores on other machines. */
  otherMs: readonly number[];
}): string | undefined {
  const { nowMs, lastRunMs, otherMs } = clocks;
  if (otherMs.some((theirs) => Math.abs(theirs - nowMs) > CONTRADICTION_MS))
    return "this machine's clock and that of a store differ by more than 10 minutes";
  if (otherMs.length > 0 || lastRunMs === undefined || nowMs - lastRunMs <= LONGEST_GAP_MS) return undefined;
  const days = Math.floor((nowMs - lastRunMs) / DAY_MS);
  return `the clock is ${days} days past the last run: if it is right, run \`sextant retention resume\``;
}
