/** The days that a project keeps, shared by retention (engines) and by reports (query). */
import { DAY_MS, dayOf } from "../lib/time.ts";

/** The first day of a project that keeps its events for `days` days. */
export function firstKeptDay(days: number, nowMs: number): string {
  return dayOf(Math.max(0, nowMs - days * DAY_MS));
}
