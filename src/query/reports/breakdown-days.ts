/** The days of a breakdown: of its window, and to compare with. */
import { type Days, hullOf } from "../report/window.ts";

/** Which days are read, and the period of each. */
export interface BreakdownDays {
  readonly params: Readonly<Record<string, unknown>>;
  /** A condition on a column that holds a day. */
  isIn(day: string): string;
  /** 0 for the window, 1 for the days to compare with: a row for each of the two. */
  periodOf(day: string): string;
}

export function daysOf(window: Days, compared: Days | undefined): BreakdownDays {
  if (compared === undefined)
    return {
      params: {},
      isIn: (day) => `${day} BETWEEN {first_day:Date} AND {last_day:Date}`,
      periodOf: () => "0",
    };
  const isNow = (day: string) => `${day} BETWEEN {now_from:Date} AND {now_to:Date}`;
  const isBefore = (day: string) => `${day} BETWEEN {before_from:Date} AND {before_to:Date}`;
  const all = hullOf(window, compared);
  return {
    params: {
      // Parts that many reports share read all days from the first of both periods to the last.
      first_day: all.firstDay,
      last_day: all.lastDay,
      now_from: window.firstDay,
      now_to: window.lastDay,
      before_from: compared.firstDay,
      before_to: compared.lastDay,
    },
    isIn: (day) => `(${isNow(day)} OR ${isBefore(day)})`,
    periodOf: (day) => `arrayJoin(arrayConcat(if(${isNow(day)}, [0], []), if(${isBefore(day)}, [1], [])))`,
  };
}
