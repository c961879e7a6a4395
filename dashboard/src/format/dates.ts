/**
 * Dates in the format of the browser's language. Days and hours of reports are those of the project's zone, drawn as if
 * they were of UTC (zone.ts), and so are the times of the live page; moments of single events are in UTC.
 */

import { type Day, dayMs } from "./days.ts";
import { locale } from "./locale.ts";
import type { Interval, Range } from "./range.ts";
import { wallTime } from "./zone.ts";

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options });

const dayMonth = format({ day: "numeric", month: "short" });
const dayMonthYear = format({ day: "numeric", month: "short", year: "numeric" });
const weekdayDay = format({ weekday: "short", day: "numeric", month: "short" });
const weekdayDayYear = format({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
const monthYear = format({ month: "short", year: "numeric" });
const hourMinute = format({ hour: "numeric", minute: "2-digit" });
const moment = format({ day: "numeric", month: "short", hour: "numeric", minute: "2-digit", second: "2-digit" });
const weekday = format({ weekday: "short" });

/** The start of a bucket: `2026-11-16` or `2026-11-16 13:00:00`, both by the clocks of the zone. */
export function bucketMs(text: string): number {
  if (text.length === 10) return dayMs(text);
  return Date.parse(`${text.replace(" ", "T")}${/[Zz]|[+-]\d\d:?\d\d$/.test(text) ? "" : "Z"}`);
}

export function rangeText({ from, to }: Range, today: Day): string {
  const thisYear = from.slice(0, 4) === today.slice(0, 4) && to.slice(0, 4) === today.slice(0, 4);
  const shown = thisYear ? dayMonth : dayMonthYear;
  if (from === to) return shown.format(dayMs(from));
  return shown.formatRange(dayMs(from), dayMs(to));
}

/** The start of a bucket for files, as spreadsheets and scripts read it. */
export function bucketStart(ms: number, interval: Interval): string {
  const text = new Date(ms).toISOString();
  return interval === "hour" ? text.replace(".000", "") : text.slice(0, 10);
}

/** A label of the x axis. */
export function axisText(ms: number, interval: Interval, days: number): string {
  if (interval === "hour") return days > 2 ? weekdayDay.format(ms) : hourMinute.format(ms);
  if (interval === "month") return monthYear.format(ms);
  return dayMonth.format(ms);
}

/** The name of a bucket in tooltips and tables. */
export function bucketText(ms: number, interval: Interval): string {
  switch (interval) {
    case "hour":
      return `${weekdayDay.format(ms)}, ${hourMinute.formatRange(ms, ms + 3_600_000)}`;
    case "day":
      return weekdayDayYear.format(ms);
    case "week":
      return `Week of ${dayMonthYear.format(ms)}`;
    case "month":
      return monthYear.format(ms);
  }
}

export function momentText(ms: number): string {
  return moment.format(ms);
}

export function timeText(ms: number): string {
  return format({ hour: "numeric", minute: "2-digit", second: "2-digit" }).format(ms);
}

/** The same by the clocks of the project's zone: of what happens now. */
export function clockText(ms: number): string {
  return timeText(wallTime(ms));
}

export function shortDayText(day: Day): string {
  return dayMonth.format(dayMs(day));
}

/** Monday first, as the weeks of reports. */
export function weekdayNames(): string[] {
  return Array.from({ length: 7 }, (_, index) => weekday.format(Date.UTC(2024, 0, 1 + index)));
}

const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "narrow" });

export function agoText(ms: number, nowMs: number): string {
  const seconds = Math.round((ms - nowMs) / 1000);
  if (Math.abs(seconds) < 60) return relative.format(seconds, "second");
  if (Math.abs(seconds) < 3600) return relative.format(Math.round(seconds / 60), "minute");
  if (Math.abs(seconds) < 86_400) return relative.format(Math.round(seconds / 3600), "hour");
  return relative.format(Math.round(seconds / 86_400), "day");
}
