/** Which days of a project are kept, for who removes the others (warehouse) and who must not show them (query). */
import { DAY_MS, dayOf } from "../lib/time.ts";

/** The first one of a project that keeps its events for so many days. */
export function firstKeptDay(days: number, nowMs: number): string {
  return dayOf(Math.max(0, nowMs - days * DAY_MS));
}

/**
 * A day leaves the reports at midnight, and is removed this much later: table by table, which nobody may see. Until then clocks of nodes
 * may differ, and a report that was asked before midnight may run.
 */
export const REMOVED_AFTER_MS = 15 * 60_000;
