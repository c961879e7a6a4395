/**
 * When a scheduled report is due, and for which days. A weekly one is about the seven days before the day on which it is
 * sent; a monthly one is sent on the first of a month, about the month before.
 */
import { addDays, weekdayOf } from "../lib/time.ts";
import { dayIn, startOfDay, timeInZone } from "../lib/time-zones.ts";

export interface Rhythm {
  readonly every: "week" | "month";
  /** Of a weekly one; 1 is Monday. */
  readonly weekday: number;
  /** 0 to 23. */
  readonly hour: number;
  /** Of the hour. */
  readonly timezone: string;
  /** The zone of the project, whose days its reports count. */
  readonly daysIn: string;
}

export interface Run {
  /** The days that it is about, both included. */
  readonly from: string;
  readonly to: string;
  readonly dueAtMs: number;
}

/** The first run that is due after this time. */
export function nextRun(rhythm: Rhythm, afterMs: number): Run {
  // Two days back: a day of one zone may begin a day before that of another, and a report waits for the end of its days.
  let day = sendDayFrom(rhythm, addDays(dayIn(rhythm.timezone, afterMs), -2));
  for (;;) {
    const run = runOn(rhythm, day);
    if (run.dueAtMs > afterMs) return run;
    day = sendDayFrom(rhythm, addDays(day, 1));
  }
}

/** The last run that is due at this time: those before it are not made up for. */
export function latestRun(rhythm: Rhythm, nowMs: number): Run {
  let day = sendDayBefore(rhythm, addDays(dayIn(rhythm.timezone, nowMs), 1));
  for (;;) {
    const run = runOn(rhythm, day);
    if (run.dueAtMs <= nowMs) return run;
    day = sendDayBefore(rhythm, day);
  }
}

/** The days directly before, as many or the month before: what a run is compared with. */
export function daysBefore(
  { every }: Pick<Rhythm, "every">,
  { from }: Pick<Run, "from">,
): { from: string; to: string } {
  const to = addDays(from, -1);
  return { from: every === "week" ? addDays(from, -7) : firstOfMonth(to), to };
}

function runOn(rhythm: Rhythm, day: string): Run {
  const to = addDays(day, -1);
  const from = rhythm.every === "week" ? addDays(day, -7) : firstOfMonth(to);
  // Where the hour comes before the last day is over in the zone of the project, it waits for its end.
  const dueAtMs = Math.max(timeInZone(rhythm.timezone, day, rhythm.hour), startOfDay(rhythm.daysIn, day));
  return { from, to, dueAtMs };
}

/** This day or the first one after it on which it is sent. */
function sendDayFrom(rhythm: Rhythm, day: string): string {
  let found = day;
  while (!isSendDay(rhythm, found)) found = addDays(found, 1);
  return found;
}

function sendDayBefore(rhythm: Rhythm, day: string): string {
  let found = addDays(day, -1);
  while (!isSendDay(rhythm, found)) found = addDays(found, -1);
  return found;
}

function isSendDay({ every, weekday }: Rhythm, day: string): boolean {
  return every === "week" ? weekdayOf(day) === weekday : day.endsWith("-01");
}

function firstOfMonth(day: string): string {
  return `${day.slice(0, 7)}-01`;
}
