/** The conditions of a page's filters and its segment together, for a request that names another segment. */
import type { Segment } from "../api/segments.ts";
import type { Condition } from "../format/condition.ts";
import { type Filter, filtersParameter } from "./filters.ts";

/** Undefined where the segment is not known: without its conditions the numbers would be those of everybody. */
export function conditionsWithin(
  filters: readonly Filter[],
  segment: string | undefined,
  segments: readonly Segment[] | undefined,
): readonly Condition[] | undefined {
  const own = JSON.parse(filtersParameter(filters) ?? "[]") as Condition[];
  if (segment === undefined) return own;
  const known = segments?.find(({ id }) => id === segment);
  return known && [...own, ...known.filters];
}
