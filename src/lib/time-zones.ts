/**
 * Time zones by their names (IANA). Offsets come from Intl alone, and the engines get them as numbers: the zone data of
 * DuckDB, of ClickHouse and of Node may be of different years.
 */
import { BoundedCache } from "./bounded-cache.ts";
import { DAY_MS, dayOf, HOUR_MS, LATEST_MS } from "./time.ts";

export const UTC = "UTC";

const LONGEST_NAME = 64;
/** A name begins with a letter: `+02:00` is an offset, which knows no change of clocks. */
const NAME = /^[A-Za-z][A-Za-z0-9_+\-/]*$/;

export function isTimeZone(name: string): boolean {
  return name.length <= LONGEST_NAME && NAME.test(name) && findFormat(name) !== undefined;
}

/** Formatters take 30 us to make; there are 418 zones, and older names for some of them. */
const formats = new BoundedCache<Intl.DateTimeFormat>(600);

function findFormat(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.find(zone);
  if (known !== undefined) return known;
  try {
    const made = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "iso8601",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.put(zone, made);
    return made;
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

/** What the clocks of the zone are ahead of UTC, in milliseconds. */
export function offsetAt(zone: string, ms: number): number {
  if (zone === UTC) return 0;
  const format = findFormat(zone);
  if (format === undefined) throw new Error(`there is no time zone ${zone}`);
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(ms)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

/** What clocks of the zone show, as the moment at which clocks of UTC show the same. */
export function wallTimeAt(zone: string, ms: number): number {
  return ms + offsetAt(zone, ms);
}

/** The day that calendars of the zone show. */
export function dayIn(zone: string, ms: number): string {
  return dayOf(wallTimeAt(zone, ms));
}

/**
 * The first moment of a day in the zone. Where clocks skip midnight, it is the moment of the change; of a day that a
 * zone left out, as Samoa did when it crossed the date line, it is that of the next one.
 */
export function startOfDay(zone: string, day: string): number {
  const wall = Date.parse(day);
  if (zone === UTC) return wall;
  // The clocks of no zone differ by more than 15 hours from UTC.
  const { offsets, changes } = shiftsBetween(zone, wall - DAY_MS, wall + DAY_MS);
  for (const [nth, offset] of offsets.entries()) {
    const from = changes[nth - 1] ?? Number.NEGATIVE_INFINITY;
    const until = changes[nth] ?? Number.POSITIVE_INFINITY;
    const at = Math.max(wall - offset, from);
    if (at < until) return at;
  }
  throw new Error(`${zone} has no moment after ${day}`);
}

/**
 * When it is `hour` o'clock on this day. An hour that exists twice, when clocks go back, is the first of the two. One
 * that does not exist, when clocks go forward, is as long after midnight as it would have been: the clocks then show the
 * next hour, or half past where they move by half an hour.
 */
export function timeInZone(zone: string, day: string, hour: number): number {
  const wall = Date.parse(day) + hour * HOUR_MS;
  // Zones are at most 14 hours from UTC, and change their clocks less than once in two days.
  const [before, after] = [offsetAt(zone, wall - DAY_MS), offsetAt(zone, wall + DAY_MS)];
  const found = [wall - before, wall - after].filter((ms) => ms + offsetAt(zone, ms) === wall);
  return found.length > 0 ? Math.min(...found) : wall - before;
}

/** `offsets[0]` counts before `changes[0]`, `offsets[1]` from then on, and so on: there is one more of them. */
export interface Shifts {
  readonly offsets: readonly number[];
  readonly changes: readonly number[];
}

/** The offsets of the zone between two moments, both included. */
export function shiftsBetween(zone: string, fromMs: number, toMs: number): Shifts {
  if (zone === UTC) return { offsets: [0], changes: [] };
  // No event is earlier or later.
  const [from, to] = [Math.max(fromMs, -DAY_MS), Math.min(toMs, LATEST_MS)];
  const years = [];
  for (let year = new Date(from).getUTCFullYear(); year <= new Date(to).getUTCFullYear(); year += 1) years.push(year);
  const changes = years.flatMap((year) => changesOf(zone, year)).filter((at) => at > from && at <= to);
  return { offsets: [from, ...changes].map((at) => offsetAt(zone, at)), changes };
}

const changesByYear = new BoundedCache<readonly number[]>(5_000);
/** No zone has changed its clocks twice within this time since 1970 and ended where it began. */
const STEP_MS = 6 * DAY_MS;

/** The moments of a UTC year from which on another offset counts. About 0.4 ms, once for each zone and year. */
function changesOf(zone: string, year: number): readonly number[] {
  const key = `${zone} ${year}`;
  const known = changesByYear.find(key);
  if (known !== undefined) return known;
  const [start, end] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
  const found: number[] = [];
  for (let from = start; from < end; from += STEP_MS)
    found.push(...changesBetween(zone, from, Math.min(from + STEP_MS, end)));
  changesByYear.put(key, found);
  return found;
}

/** After `from`, up to `to`: by halves, down to a second. */
function changesBetween(zone: string, from: number, to: number): number[] {
  if (offsetAt(zone, from) === offsetAt(zone, to)) return [];
  if (to - from <= 1_000) return [to];
  const middle = from + Math.floor((to - from) / 2_000) * 1_000;
  return [...changesBetween(zone, from, middle), ...changesBetween(zone, middle, to)];
}
