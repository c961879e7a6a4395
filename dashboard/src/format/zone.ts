/** The time zone of the project, whose days and hours its reports count. */

let zone = "UTC";
let clock = clockOf(zone);

function clockOf(name: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}

/** The shell sets the zone of the project before it draws a page, as it does with the unit of money. */
export function chooseZone(name: string): void {
  if (name === zone) return;
  try {
    clock = clockOf(name);
    zone = name;
  } catch {
    // A browser that is older than the zone: the days of the reports are right, and today may be a day off.
    clock = clockOf("UTC");
    zone = name;
  }
}

/** Its name beside days and hours: `Europe/Berlin`. */
export function zoneName(): string {
  return zone.replaceAll("_", " ");
}

/**
 * What clocks of the zone show at a moment, as the time at which clocks of UTC show the same: charts draw days and hours
 * of the zone as if they were of UTC.
 */
export function wallTime(ms: number): number {
  if (zone === "UTC") return ms;
  const parts: Record<string, number> = {};
  for (const { type, value } of clock.formatToParts(ms)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (ms % 1000);
}

export function wallNow(): number {
  return wallTime(Date.now());
}

/** All zones that the browser knows by name. */
export function listZones(): readonly string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];
}
