/** Times are in UTC. ClickHouse's functions of time take a zone as their last argument: it may only be UTC. */
import { findText, type Node, refuse } from "./tree.ts";

/** Function -> the number of arguments before the zone. */
const ZONED: ReadonlyMap<string, number> = new Map([
  ...["now", "today"].map((name) => [name, 0] as const),
  ...["now64", "toDate", "toDateTime", "toTimeZone", "parseDateTimeBestEffort", "fromUnixTimestamp"].map(
    (name) => [name.toLowerCase(), 1] as const,
  ),
  ...["fromUnixTimestamp64Milli", "toUnixTimestamp", "toYear", "toQuarter", "toMonth", "toDayOfMonth"].map(
    (name) => [name.toLowerCase(), 1] as const,
  ),
  ...["toHour", "toMinute", "toSecond", "toYYYYMM", "toYYYYMMDD", "toISOWeek", "toDayOfYear", "toMonday"].map(
    (name) => [name.toLowerCase(), 1] as const,
  ),
  ...["Minute", "FiveMinutes", "TenMinutes", "FifteenMinutes", "Hour", "Day", "Month", "Quarter", "Year"].map(
    (unit) => [`tostartof${unit.toLowerCase()}`, 1] as const,
  ),
  ...["toDateTime64", "parseDateTime64BestEffort", "toStartOfInterval", "toStartOfWeek", "toDayOfWeek"].map(
    (name) => [name.toLowerCase(), 2] as const,
  ),
  ["formatdatetime", 2],
  ["datetrunc", 2],
  ["date_trunc", 2],
  ["datediff", 3],
  ["date_diff", 3],
  ["age", 3],
]);

const UTC = new Set(["UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z"]);

/** The arguments without a zone. `name` is in lower case. */
export function withoutZone(name: string, children: readonly Node[]): readonly Node[] {
  const before = ZONED.get(name);
  const last = children.at(-1);
  if (before === undefined || last === undefined || children.length <= before) return children;
  const zone = findText(last);
  if (zone === undefined) return children;
  if (!UTC.has(zone)) refuse(`Times are in UTC: the time zone ${zone.slice(0, 40)} is not supported`);
  return children.slice(0, -1);
}
