/** Calendar days as `YYYY-MM-DD`, the days of the reports. */
export type Day = string;

const DAY_MS = 86_400_000;
const FORMAT = /^\d{4}-\d{2}-\d{2}$/;

export function isDay(text: unknown): text is Day {
  return typeof text === "string" && FORMAT.test(text) && toDay(Date.parse(`${text}T00:00:00Z`)) === text;
}

export function toDay(ms: number): Day {
  return Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 10) : "";
}

export function dayMs(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`);
}

export function addDays(day: Day, days: number): Day {
  return toDay(dayMs(day) + days * DAY_MS);
}

/** Days from `from` to `to`, both included. */
export function countDays(from: Day, to: Day): number {
  return Math.round((dayMs(to) - dayMs(from)) / DAY_MS) + 1;
}

export function addMonths(day: Day, months: number): Day {
  const date = new Date(dayMs(day));
  const wanted = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(wanted, last));
  return toDay(date.getTime());
}

export function firstOfMonth(day: Day): Day {
  return `${day.slice(0, 8)}01`;
}

export function lastOfMonth(day: Day): Day {
  return addDays(addMonths(firstOfMonth(day), 1), -1);
}
