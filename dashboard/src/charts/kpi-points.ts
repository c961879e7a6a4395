/** Points of the headline numbers, from the rows of the report `kpis`. */

import { axisText, bucketMs, bucketStart, bucketText } from "../format/dates.ts";
import { addDays, addMonths, countDays, type Day, dayMs, firstOfMonth } from "../format/days.ts";
import type { MeasureName } from "../format/measures.ts";
import { type Asked, askedRange, INTERVALS, type Interval, type Range } from "../format/range.ts";
import type { TimePoint } from "./time-point.ts";

export type KpiRow = Readonly<Record<string, string | number | null>>;

const HOUR_MS = 3_600_000;

/** The starts of all buckets of a range: a day without events has no row. */
export function bucketStarts({ from, to }: Range, interval: Interval): number[] {
  const end = dayMs(addDays(to, 1));
  const starts: number[] = [];
  if (interval === "hour") {
    for (let at = dayMs(from); at < end; at += HOUR_MS) starts.push(at);
  } else {
    for (let day = firstBucket(from, interval); dayMs(day) < end; day = nextBucket(day, interval))
      starts.push(dayMs(day));
  }
  return starts;
}

function firstBucket(day: Day, interval: Interval): Day {
  if (interval === "month") return firstOfMonth(day);
  if (interval !== "week") return day;
  // getUTCDay counts from Sunday; weeks begin on Monday.
  return addDays(day, -((new Date(dayMs(day)).getUTCDay() + 6) % 7));
}

function nextBucket(day: Day, interval: Interval): Day {
  if (interval === "month") return addMonths(day, 1);
  return addDays(day, interval === "week" ? 7 : 1);
}

export interface Buckets {
  range: Range;
  compared: Range | undefined;
  interval: Interval;
}

/** The buckets that a request for `kpis` asks for. */
export function askedBuckets(asked: Asked): Buckets {
  const { compare_from, compare_to, interval } = asked;
  return {
    range: askedRange(asked),
    compared: compare_from === undefined ? undefined : { from: String(compare_from), to: String(compare_to) },
    interval: INTERVALS.find((name) => name === interval) ?? "day",
  };
}

interface Shown extends Buckets {
  nowMs: number;
  /** Nothing is known of the days before. */
  firstDay?: Day | null | undefined;
}

export function kpiPoints(rows: readonly KpiRow[], measure: MeasureName, shown: Shown): TimePoint[] {
  const { range, compared, interval, nowMs, firstDay } = shown;
  const byStart = new Map(rows.map((row) => [bucketMs(String(row.date)), row]));
  // visitors_previous is a number of the whole period, as in the hosted service.
  const previous = measure === "visitors" ? "bucket_visitors_previous" : `${measure}_previous`;
  const starts = bucketStarts(range, interval);
  const before = compared ? bucketStarts(compared, interval) : [];
  const days = countDays(range.from, range.to);
  return starts.map((start, index) => {
    // The first week or month begins with the period.
    const row = byStart.get(Math.max(start, dayMs(range.from)));
    const future = start > nowMs;
    const earlier = before[index];
    const isUnknown =
      earlier === undefined ||
      firstDay === undefined ||
      (firstDay !== null && earlier < dayMs(firstBucket(firstDay, interval)));
    return {
      label: bucketText(start, interval),
      start: bucketStart(start, interval),
      axis: axisText(start, interval, days),
      value: future ? null : Number(row?.[measure] ?? 0),
      previous: isUnknown ? undefined : Number(row?.[previous] ?? 0),
      previousLabel: earlier === undefined ? undefined : bucketText(earlier, interval),
      previousStart: earlier === undefined ? undefined : bucketStart(earlier, interval),
      partial: !future && (starts[index + 1] ?? dayMs(addDays(range.to, 1))) > nowMs,
    };
  });
}
