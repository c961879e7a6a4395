import { uptime } from "node:os";
import type { Clock } from "./clock.ts";

/** The uptime of the system is read from a file, in 20 us. In between, the process's own timer is exact enough. */
const ASK_EVERY_MS = 1_000;

/**
 * A clock for waiting. It starts at the wall clock and then follows the time since boot, so changing the wall clock
 * neither shortens nor extends a wait. The process's own timer is not enough, because it stops while the machine
 * sleeps. The clock never goes back.
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
