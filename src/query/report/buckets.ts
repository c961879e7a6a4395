/** The buckets of a report by time. They are numbered from 0, and the first and last are cut to the window. */
import type { Interval } from "../../contract/metric-columns.ts";
import { addDays, DAY_MS, dayOf } from "../../lib/time.ts";
import { wallTime } from "./wall-time.ts";
import { countDays, type Days, laterOf } from "./window.ts";

export interface Buckets {
  readonly count: number;
  /** The type of `dateOf`. */
  readonly type: "Date" | "DateTime";
  /** The beginning of a bucket in the window. */
  dateOf(nth: number): string;
  /** SQL: the number of a day's bucket. A bucket of hours needs a time. */
  ofDay(day: string): string;
  /** SQL: the number of the bucket of a time in epoch milliseconds, on a day. */
  ofTime(day: string, ms: string): string;
  /** SQL: whether a time is in any bucket. Absent: every time of the window is. */
  holds?(ms: string): string;
  /** The days with buckets. Absent: all of the window. */
  readonly days?: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
}

/** SQL of the days since the first. */
const daysSince = (day: string) => `toInt64(${day} - {first_day:Date})`;

/** All times are those that clocks of the zone show: an hour that a change of clocks repeats is one bucket. */
export function bucketsOf(interval: Interval, window: Days, zone: string): Buckets {
  const { firstDay } = window;
  const days = countDays(window);
  if (interval === "hour") {
    const startMs = Date.parse(firstDay);
    const dateOf = (nth: number) => `${dayOf(startMs + nth * HOUR_MS)} ${String(nth % 24).padStart(2, "0")}:00:00`;
    const { wallMs, params } = wallTime(window, zone);
    const ofTime = (_day: string, ms: string) => `intDiv(${wallMs(ms)} - {start_ms:Int64}, ${HOUR_MS})`;
    const ofDay = () => {
      throw new Error("a day has no hour");
    };
    return { count: days * 24, type: "DateTime", dateOf, ofDay, ofTime, params: { ...params, start_ms: startMs } };
  }
  return { type: "Date", ...longBuckets(interval, window, days) };
}

const HOUR_MS = DAY_MS / 24;

function longBuckets(
  interval: Exclude<Interval, "hour">,
  { firstDay, lastDay }: Days,
  days: number,
): Omit<Buckets, "type"> {
  const withDays = (ofDay: (day: string) => string) => ({ ofDay, ofTime: ofDay });
  if (interval === "all") return { count: 1, dateOf: () => firstDay, ...withDays(() => "toInt64(0)"), params: {} };
  if (interval === "day")
    return { count: days, dateOf: (nth) => addDays(firstDay, nth), ...withDays(daysSince), params: {} };
  if (interval === "week") {
    const weekday = (new Date(firstDay).getUTCDay() + 6) % 7;
    return {
      count: Math.ceil((days + weekday) / 7),
      dateOf: (nth) => laterOf(firstDay, addDays(firstDay, nth * 7 - weekday)),
      ...withDays((day) => `intDiv(${daysSince(day)} + {first_weekday:Int64}, 7)`),
      params: { first_weekday: weekday },
    };
  }
  const first = monthOf(firstDay);
  return {
    count: monthOf(lastDay) - first + 1,
    dateOf: (nth) => laterOf(firstDay, dayOf(Date.UTC(Math.floor((first + nth) / 12), (first + nth) % 12, 1))),
    ...withDays((day) => `toInt64(year(${day})) * 12 + toInt64(month(${day})) - 1 - {first_month:Int64}`),
    params: { first_month: first },
  };
}

/** Months since the year 0. */
function monthOf(day: string): number {
  const date = new Date(day);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
