import { addDays, addMonths, countDays, type Day, firstOfMonth, lastOfMonth } from "../format/days.ts";
import type { Interval, Range } from "../format/range.ts";

/** The periods of the menu, each with the key that selects it. */
export const PERIODS = {
  today: { label: "Today", key: "d" },
  yesterday: { label: "Yesterday", key: "e" },
  "2d": { label: "Yesterday and today", key: "h" },
  "7d": { label: "Last 7 days", key: "w" },
  "28d": { label: "Last 28 days", key: "f" },
  "30d": { label: "Last 30 days", key: "t" },
  "90d": { label: "Last 90 days", key: "n" },
  mtd: { label: "Month to date", key: "m" },
  "last-month": { label: "Last month", key: "p" },
  ytd: { label: "Year to date", key: "y" },
  "12m": { label: "Last 12 months", key: "l" },
  all: { label: "All time", key: "a" },
  custom: { label: "Custom range", key: "c" },
} as const;
export type PeriodName = keyof typeof PERIODS;
export const PERIOD_NAMES = Object.keys(PERIODS) as readonly PeriodName[];

export function isPeriodName(text: unknown): text is PeriodName {
  return typeof text === "string" && Object.hasOwn(PERIODS, text);
}

export interface PeriodChoice {
  period: PeriodName;
  /** Set for `custom`, and once the arrow keys have moved another period. */
  from?: Day | undefined;
  to?: Day | undefined;
}

export function rangeOf(choice: PeriodChoice, today: Day, firstDay?: Day | null): Range {
  if (choice.from !== undefined && choice.to !== undefined) return { from: choice.from, to: choice.to };
  return presetRange(choice.period, today, firstDay);
}

function presetRange(period: PeriodName, today: Day, firstDay?: Day | null): Range {
  const last = (days: number): Range => ({ from: addDays(today, 1 - days), to: today });
  switch (period) {
    case "today":
      return last(1);
    case "yesterday":
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case "2d":
      return last(2);
    case "7d":
    case "custom":
      return last(7);
    case "28d":
      return last(28);
    case "30d":
      return last(30);
    case "90d":
      return last(90);
    case "mtd":
      return { from: firstOfMonth(today), to: today };
    case "last-month": {
      const from = addMonths(firstOfMonth(today), -1);
      return { from, to: lastOfMonth(from) };
    }
    case "ytd":
      return { from: `${today.slice(0, 4)}-01-01`, to: today };
    case "12m":
      return { from: addDays(addMonths(today, -12), 1), to: today };
    case "all":
      return { from: firstDay ?? today, to: today };
  }
}

/** The neighbour of a range, of the same length or the same number of months; never after today. */
export function moveRange(range: Range, direction: -1 | 1, today: Day): Range | undefined {
  const whole = isWholeMonths(range);
  const months = whole ? monthsBetween(range.from, range.to) : 0;
  const moved = whole
    ? shiftMonths(range, direction * months)
    : shiftDays(range, direction * countDays(range.from, range.to));
  if (moved.from > today) return undefined;
  return moved;
}

function isWholeMonths({ from, to }: Range): boolean {
  return from === firstOfMonth(from) && to === lastOfMonth(to);
}

function shiftDays({ from, to }: Range, days: number): Range {
  return { from: addDays(from, days), to: addDays(to, days) };
}

function shiftMonths({ from, to }: Range, months: number): Range {
  const start = addMonths(from, months);
  return { from: start, to: lastOfMonth(addMonths(start, monthsBetween(from, to) - 1)) };
}

function monthsBetween(from: Day, to: Day): number {
  const [year, month] = [Number(to.slice(0, 4)) - Number(from.slice(0, 4)), Number(to.slice(5, 7))];
  return year * 12 + month - Number(from.slice(5, 7)) + 1;
}

/** The steps in which a chart of this range is readable: at most 400 points, and at least two where possible. */
export function intervalsFor({ from, to }: Range): readonly Interval[] {
  const days = countDays(from, to);
  if (days <= 2) return ["hour"];
  if (days <= 7) return ["hour", "day"];
  if (days <= 14) return ["hour", "day", "week"];
  if (days <= 45) return ["day", "week"];
  if (days <= 400) return ["day", "week", "month"];
  return ["week", "month"];
}

export function defaultInterval(range: Range): Interval {
  const days = countDays(range.from, range.to);
  if (days <= 2) return "hour";
  if (days <= 120) return "day";
  return days <= 400 ? "week" : "month";
}

export const COMPARISONS = {
  off: "No comparison",
  previous: "Previous period",
  weekdays: "Same weekdays before",
  year: "Year before",
  custom: "Custom range",
} as const;
export type Comparison = keyof typeof COMPARISONS;

export function isComparison(text: unknown): text is Comparison {
  return typeof text === "string" && Object.hasOwn(COMPARISONS, text);
}

interface ComparedWith {
  custom?: Range | undefined;
  /** The period of the menu, unless it was moved. */
  period?: PeriodName | undefined;
}

/** The range that a range is compared with. */
export function comparedRange(
  range: Range,
  comparison: Comparison,
  { custom, period }: ComparedWith = {},
): Range | undefined {
  const days = countDays(range.from, range.to);
  switch (comparison) {
    case "off":
      return undefined;
    case "previous":
      return previousMonths(range, period) ?? shiftDays(range, -days);
    case "weekdays":
      return shiftDays(range, -Math.ceil(days / 7) * 7);
    case "year":
      return sameDaysBefore(range, 12);
    case "custom":
      return custom;
  }
}

/** Calendar periods are compared with the calendar: whole months with those before, others with their same days. */
function previousMonths(range: Range, period: PeriodName | undefined): Range | undefined {
  if (period === "ytd") return sameDaysBefore(range, 12);
  if (isWholeMonths(range)) return shiftMonths(range, -monthsBetween(range.from, range.to));
  return period === "mtd" ? sameDaysBefore(range, 1) : undefined;
}

function sameDaysBefore({ from, to }: Range, months: number): Range {
  return { from: addMonths(from, -months), to: addMonths(to, -months) };
}

/** Two ranges whose numbers can be compared, or why there are none. */
export type Comparable = { range: Range; compared: Range } | "today" | "before-first-day" | undefined;

/**
 * Only whole days: at ten in the morning, today would have lost two thirds of yesterday. And only days since the first
 * event: a week against an empty one says nothing.
 */
export function comparableRanges(
  range: Range,
  compared: Range | undefined,
  today: Day,
  firstDay: Day | null | undefined,
): Comparable {
  if (compared === undefined || firstDay == null) return undefined;
  const open = Math.max(0, countDays(today, range.to));
  const cut = ({ from, to }: Range): Range => ({ from, to: addDays(to, -open) });
  const [shown, before] = [cut(range), cut(compared)];
  if (shown.to < shown.from || before.to < before.from) return "today";
  return before.from < firstDay ? "before-first-day" : { range: shown, compared: before };
}
