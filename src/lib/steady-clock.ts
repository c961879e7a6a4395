import { uptime } from "node:os";
import type { Clock } from "./clock.ts";

/**
 * A clock for waiting: it starts with the wall clock and then follows the time since boot, so that somebody who sets the wall
 * clock neither rushes what waits nor makes it wait longer. Time since boot rather than `performance.now()`, because that one
 * stands still while a machine sleeps.
 */
export function createSteadyClock(wall: Clock, uptimeS: () => number = uptime): Clock {
  const startMs = wall.nowMs() - uptimeS() * 1000;
  return { nowMs: () => Math.round(startMs + uptimeS() * 1000) };
}
