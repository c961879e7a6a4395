// The time zone that the oracles answer in. It shares no code with the product: each time is asked of Intl by itself.

const DAY_MS = 86_400_000;
let current = "UTC";
const formats = new Map<string, Intl.DateTimeFormat>();
const known = new Map<string, number>();

/** All days and hours of the answer are those that clocks of the zone show. */
export function inZone<T>(zone: string, work: () => T): T {
  const before = current;
  current = zone;
  try {
    return work();
  } finally {
    current = before;
  }
}

/** What the clocks show at an instant, as the instant at which clocks of UTC show the same. */
export function wallOf(instant: number): number {
  if (current === "UTC") return instant;
  const key = `${current} ${instant}`;
  const found = known.get(key) ?? askWall(current, instant);
  if (known.size > 100_000) known.clear();
  known.set(key, found);
  return found;
}

function askWall(zone: string, instant: number): number {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  formats.set(zone, format);
  const text = format.format(instant).replace(" ", "T");
  return Date.parse(`${text}.${String(instant % 1000).padStart(3, "0")}Z`);
}

/** Days since 1970 by the calendar of the zone. */
export function zoneDay(instant: number): number {
  return Math.floor(wallOf(instant) / DAY_MS);
}

/** Days since 1970 by UTC: sessions end with them in every zone. */
export function utcDay(instant: number): number {
  return Math.floor(instant / DAY_MS);
}
