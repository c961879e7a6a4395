/** Weeks from Monday to Sunday, as numbers since the week of 1970-01-01, a Thursday. */
import { DAY_MS, dayOf } from "../../lib/time.ts";

const MONDAY_BEFORE = 3;

function weekOf(day: string): number {
  return Math.floor((Date.parse(day) / DAY_MS + MONDAY_BEFORE) / 7);
}

export function mondayOfWeek(week: number): string {
  return dayOf((week * 7 - MONDAY_BEFORE) * DAY_MS);
}

export function mondayOf(day: string): string {
  return mondayOfWeek(weekOf(day));
}
