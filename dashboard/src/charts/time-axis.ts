/** The buckets of a time axis: all of the days that were asked for, also those without a row. */
import { bucketMs } from "../format/dates.ts";
import { addDays, type Day, dayMs, isDay } from "../format/days.ts";
import { type Asked, askedRange, INTERVALS, type Interval, type Range } from "../format/range.ts";
import { cellText } from "./any-row.ts";
import { bucketStarts } from "./kpi-points.ts";

export interface TimeAxis {
  interval: Interval;
  starts: readonly number[];
  /** The bucket of a cell. */
  indexOf: (cell: unknown) => number;
}

/** Hours of twelve weeks: more points than pixels need no gaps. */
const MOST_BUCKETS = 2000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Undefined where the cells are no starts of equal buckets within the days that were asked for. */
export function timeAxis(cells: readonly unknown[], asked: Asked): TimeAxis | undefined {
  const range = askedRange(asked);
  if (!isDay(range.from) || !isDay(range.to) || asked.interval === "all") return undefined;
  const times = [...new Set(cells.map((cell) => bucketMs(cellText(cell))))];
  const interval = INTERVALS.find((name) => name === asked.interval) ?? intervalOf(times);
  if (interval === undefined) return undefined;
  const starts = interval === "week" ? weekStarts(range, times) : bucketStarts(range, interval);
  // Reports begin the first week or month with the period, and SQL with its own first day.
  const index = new Map(starts.map((start, at) => [Math.max(start, dayMs(range.from)), at]));
  for (const [at, start] of starts.entries()) index.set(start, at);
  if (starts.length > MOST_BUCKETS || times.some((time) => !index.has(time))) return undefined;
  return { interval, starts, indexOf: (cell) => index.get(bucketMs(cellText(cell))) ?? 0 };
}

/** The largest step that all times are starts of; one day alone says nothing of weeks and months. */
function intervalOf(times: readonly number[]): Interval | undefined {
  if (times.some((time) => time % HOUR_MS !== 0)) return undefined;
  if (times.some((time) => time % DAY_MS !== 0)) return "hour";
  if (times.length < 2) return "day";
  const dates = times.map((time) => new Date(time));
  if (dates.every((date) => date.getUTCDate() === 1)) return "month";
  return new Set(dates.map((date) => date.getUTCDay())).size === 1 ? "week" : "day";
}

const MONDAY = 1;

/** Weeks begin on Monday, but those of SQL may begin on another day. */
function weekStarts({ from, to }: Range, times: readonly number[]): number[] {
  const weekdays = new Set(times.map((time) => new Date(time).getUTCDay()));
  const first = weekdays.size === 1 ? ([...weekdays][0] ?? MONDAY) : MONDAY;
  const starts: number[] = [];
  for (let day = weekOf(from, first); day <= to; day = addDays(day, 7)) starts.push(dayMs(day));
  return starts;
}

function weekOf(day: Day, first: number): Day {
  return addDays(day, -((new Date(dayMs(day)).getUTCDay() - first + 7) % 7));
}
