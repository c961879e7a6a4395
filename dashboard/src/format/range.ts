/** The days and the steps that a report is asked for. */
import { addDays, type Day } from "./days.ts";

/** Days, both included. */
export interface Range {
  from: Day;
  to: Day;
}

/** Parameters of a request. */
export type Asked = Readonly<Record<string, string | number | boolean | undefined>>;

/** The days that an answer is of: those that were asked for. */
export function askedRange({ date_from, date_to }: Asked): Range {
  return { from: String(date_from), to: String(date_to) };
}

export const INTERVALS = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

/** The last day that is over, of those up to `to`. */
export function lastWholeDay(to: Day, today: Day): Day {
  return to < today ? to : addDays(today, -1);
}
