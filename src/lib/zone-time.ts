/**
 * Wall clocks of time zones, by the zone data of Node (Intl). The names of days are `YYYY-MM-DD`.
 */
import { BoundedCache } from "./bounded-cache.ts";
import { DAY_MS, HOUR_MS } from "./time.ts";

/** A formatter takes 0.1 ms to make, and a job asks for the same few zones again and again. */
const formatters = new BoundedCache<Intl.DateTimeFormat, string>(256);

/** Named zones only, as `Europe/Berlin`: an offset such as `+02:00` knows no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

/** How far the wall clocks of the zone are ahead of UTC at this time. */
function zoneOffsetMs(zone: string, ms: number): number {
  const parts = formatterOf(zone).formatToParts(ms);
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value ?? "0");
  const wall = Date.UTC(read("year"), read("month") - 1, read("day"), read("hour"), read("minute"), read("second"));
  // The formatter drops milliseconds.
  return wall - Math.floor(ms / 1000) * 1000;
}

/** The day that the wall clocks of the zone show. */
export function dayInZone(zone: string, ms: number): string {
  return nameOf(ms + zoneOffsetMs(zone, ms));
}

/**
 * When it is `hour` o'clock on this day. An hour that exists twice, when clocks go back, is the first of the two. One
 * that does not exist, when clocks go forward, is as long after midnight as it would have been: the clocks then show the
 * next hour, or half past where they move by half an hour.
 */
export function timeInZone(zone: string, day: string, hour: number): number {
  const wall = Date.parse(`${day}T00:00:00Z`) + hour * HOUR_MS;
  // Zones are at most 14 hours from UTC, and change their clocks less than once in two days.
  const [before, after] = [zoneOffsetMs(zone, wall - DAY_MS), zoneOffsetMs(zone, wall + DAY_MS)];
  const found = [wall - before, wall - after].filter((ms) => ms + zoneOffsetMs(zone, ms) === wall);
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

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.find(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formatters.put(zone, made);
  return made;
}
