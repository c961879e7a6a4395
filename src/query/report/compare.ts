/** Other days to compare with. */
import type { ReportQuery } from "../../contract/analytics.ts";
import { addDays } from "../../lib/time.ts";
import type { Failures } from "../filters/filters.ts";
import { countDays, type Days, windowOf } from "./window.ts";

/** As many days directly before the window, or those given. Undefined: none. */
export type Compare = "previous" | Days | undefined;

export function readCompare(query: ReportQuery, failures: Failures): Compare {
  return readDays(query, failures) ?? (query.include_previous_period === true ? "previous" : undefined);
}

function readDays({ compare_from: from, compare_to: to }: ReportQuery, failures: Failures): Days | undefined {
  if (typeof from !== "string" && typeof to !== "string") return undefined;
  if (typeof from !== "string") failures.set("query.compare_from", "is required with compare_to");
  else if (typeof to !== "string") failures.set("query.compare_to", "is required with compare_from");
  else if (from > to) failures.set("query.compare_from", "must not be after compare_to");
  else return { firstDay: from, lastDay: to };
  return undefined;
}

/** Undefined: no days, or none that an event has. */
export function findCompared(compare: Compare, window: Days): Days | undefined {
  if (compare === undefined) return undefined;
  if (compare !== "previous") return windowOf(compare.firstDay, compare.lastDay);
  return windowOf(addDays(window.firstDay, -countDays(window)), addDays(window.firstDay, -1));
}
