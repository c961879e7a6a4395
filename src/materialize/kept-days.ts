/** Which days of a project are kept, for who removes the others (engines) and who must not show them (query). */
import { DAY_MS, dayOf } from "../lib/time.ts";

/** The first one of a project that keeps its events for so many days. */
export function firstKeptDay(days: number, nowMs: number): string {
  return dayOf(Math.max(0, nowMs - days * DAY_MS));
}
