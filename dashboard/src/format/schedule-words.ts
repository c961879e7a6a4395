/** Scheduled reports in words: when they come, and to whom. */
import type { ScheduleView } from "../../../src/contract/report-schedules.ts";
import { locale } from "./locale.ts";

const weekday = new Intl.DateTimeFormat(locale, { timeZone: "UTC", weekday: "long" });
const time = new Intl.DateTimeFormat(locale, { timeZone: "UTC", hour: "numeric", minute: "2-digit" });

/** Monday first, as the numbers of the API: 1 is Monday. */
export const WEEKDAYS = Array.from({ length: 7 }, (_, nth) => weekday.format(Date.UTC(2024, 0, 1 + nth)));

export const hourText = (hour: number) => time.format(Date.UTC(2024, 0, 1, hour));
const zoneText = (zone: string) => zone.replaceAll("_", " ");

type Rhythm = Pick<ScheduleView, "every" | "weekday" | "hour" | "timezone">;

/** `Every Monday at 8:00 AM, Europe/Berlin` */
export function rhythmText({ every, weekday: day, hour, timezone }: Rhythm): string {
  const days = every === "week" ? `Every ${WEEKDAYS[day - 1] ?? ""}` : "On the first of every month";
  return `${days} at ${hourText(hour)}, ${zoneText(timezone)}`;
}

/** When it comes next, by the clocks of its zone. A browser that does not know the zone shows UTC and says so. */
export function nextText({ next_at, timezone }: Pick<ScheduleView, "next_at" | "timezone">): string {
  if (next_at === null) return "paused";
  const options = { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" } as const;
  try {
    return new Intl.DateTimeFormat(locale, { timeZone: timezone, ...options }).format(Date.parse(next_at));
  } catch {
    return `${new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options }).format(Date.parse(next_at))} UTC`;
  }
}

const STATE_WORDS: Readonly<Record<string, string>> = {
  unconfirmed: "waits for its owner to confirm",
  unsubscribed: "wants no more of it",
  failing: "was given up after days of failures",
};

/** `ada@example.com: waits for its owner to confirm` */
export function recipientText({ type, value, state }: ScheduleView["recipients"][number]): string {
  const who = type === "slack" ? `Slack ${value}` : value;
  const how = STATE_WORDS[state];
  return how === undefined ? who : `${who}: ${how}`;
}
