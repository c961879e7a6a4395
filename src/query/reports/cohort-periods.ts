/** The calendar of cohorts: days, weeks from Monday to Sunday and months, each as numbers since that of 1970-01-01. */
import type { CohortInterval } from "../../contract/retention.ts";
import { DAY_MS, dayOf } from "../../lib/time.ts";

interface Periods {
  /** SQL: the number of the period that has a day. */
  ofDay(day: string): string;
  numberOf(day: string): number;
  /** Its first day. */
  dayOf(period: number): string;
}

/** 1970-01-01 was a Thursday. */
const MONDAY_BEFORE = 3;
const FIRST_YEAR = 1970;

export const PERIODS: Readonly<Record<CohortInterval, Periods>> = {
  day: {
    ofDay: (day) => `(${day} - toDate('1970-01-01'))`,
    numberOf: daysSince,
    dayOf: (period) => dayOf(period * DAY_MS),
  },
  week: {
    ofDay: (day) => `intDiv(${day} - toDate('1970-01-01') + ${MONDAY_BEFORE}, 7)`,
    numberOf: (day) => Math.floor((daysSince(day) + MONDAY_BEFORE) / 7),
    dayOf: (period) => dayOf((period * 7 - MONDAY_BEFORE) * DAY_MS),
  },
  month: {
    ofDay: (day) => `((toInt64(year(${day})) - ${FIRST_YEAR}) * 12 + toInt64(month(${day})) - 1)`,
    numberOf: (day) => (Number(day.slice(0, 4)) - FIRST_YEAR) * 12 + Number(day.slice(5, 7)) - 1,
    dayOf: (period) => dayOf(Date.UTC(FIRST_YEAR, period, 1)),
  },
};

function daysSince(day: string): number {
  return Math.floor(Date.parse(day) / DAY_MS);
}
