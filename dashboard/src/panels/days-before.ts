/** The days before in a drawing along an axis. */
import type { Series } from "../charts/drawings.ts";
import { shortDayText } from "../format/dates.ts";
import type { Day } from "../format/days.ts";

export type Drawing = Readonly<Record<string, unknown>>;

/**
 * The line of the days before, bucket by bucket: the third day beside the third. Only where both drawings have all
 * buckets of their days, and where there is one line: among several nobody finds the second of each.
 */
export function withLineBefore(drawing: Drawing, before: Drawing, from: Day): Drawing {
  const series = (drawing.series ?? []) as readonly Series[];
  const [earlier] = (before.series ?? []) as readonly Series[];
  const isAlike = drawing.filledBy !== undefined && drawing.filledBy === before.filledBy;
  if (series.length !== 1 || earlier === undefined || !isAlike) return drawing;
  const places = (drawing.places ?? []) as readonly unknown[];
  const values = places.map((_, index) => earlier.values[index] ?? null);
  return {
    ...drawing,
    series: [...series, { name: `${earlier.name} from ${shortDayText(from)}`, values, isBefore: true }],
  };
}
