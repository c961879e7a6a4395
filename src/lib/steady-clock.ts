import { uptime } from "node:os";
import type { Clock } from "./clock.ts";

/** Asking the system for its uptime reads a file, 20 us; in between, the process's own timer is exact enough. */
const ASK_EVERY_MS = 1_000;

/**
 * A clock for waiting: it starts with the wall clock and then follows the time since boot, so that somebody who sets the wall
 * clock neither rushes what waits nor makes it wait longer. Time since boot rather than the process's own timer alone, because
 * that one stands still while a machine sleeps. It never goes back.
 */
export function createSteadyClock(
  wall: Clock,
  uptimeS: () => number = uptime,
  timerMs: () => number = () => performance.now(),
): Clock {
  const bootMs = wall.nowMs() - uptimeS() * 1000;
  let askedMs = Number.NEGATIVE_INFINITY;
  let answerMs = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    nowMs() {
      const timer = timerMs();
      if (timer - askedMs >= ASK_EVERY_MS) {
        askedMs = timer;
        answerMs = bootMs + uptimeS() * 1000;
      }
      lastMs = Math.max(lastMs, Math.round(answerMs + timer - askedMs));
      return lastMs;
    },
  };
}
