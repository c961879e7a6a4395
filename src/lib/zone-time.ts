/**
 * Hours of wall clocks in time zones, and calendar days. The names of days are `YYYY-MM-DD`.
 */
import { DAY_MS, HOUR_MS } from "./time.ts";
import { offsetAt } from "./time-zones.ts";

/**
 * When it is `hour` o'clock on this day. An hour that exists twice, when clocks go back, is the first of the two. One
 * that does not exist, when clocks go forward, is as long after midnight as it would have been: the clocks then show the
 * next hour, or half past where they move by half an hour.
 */
export function timeInZone(zone: string, day: string, hour: number): number {
  const wall = Date.parse(`${day}T00:00:00Z`) + hour * HOUR_MS;
  // Zones are at most 14 hours from UTC, and change their clocks less than once in two days.
  const [before, after] = [offsetAt(zone, wall - DAY_MS), offsetAt(zone, wall + DAY_MS)];
  const found = [wall - before, wall - after].filter((ms) => ms + offsetAt(zone, ms) === wall);
  return found.length > 0 ? Math.min(...found) : wall - before;
}

export function addDays(day: string, count: number): string {
  return nameOf(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS);
}

/** 1 is Monday. */
export function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
}

function nameOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
