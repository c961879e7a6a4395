/** The filters of a segment, as they are saved. They are read again by each report that uses them. */
import { REPORT_LIMITS } from "../../contract/analytics.ts";
import { FILTER_OPERATORS, findOperatorName } from "../../contract/filter-fields.ts";
import { SEGMENT_LIMITS, type SegmentFilter } from "../../contract/segments.ts";
import type { Failures } from "../filters/condition.ts";
import { readList } from "../filters/filters.ts";
import { readStageList, STAGE_FIELD } from "./user-filters.ts";

interface Given {
  readonly filters?: unknown;
  readonly filterSets?: unknown;
}

/**
 * The conditions of a body: `filters`, or in older requests `filterSets`. Undefined: neither is given, or a schema
 * refuses them. All problems are added to `failures`.
 */
export function readSegmentFilters(
  body: Given,
  failures: Failures,
  nowMs: number,
): readonly SegmentFilter[] | undefined {
  const { filters, filterSets } = body;
  if (filters !== undefined && filterSets !== undefined) failures.set("body.filterSets", "must not be beside filters");
  const path = filters === undefined ? "body.filterSets" : "body.filters";
  const list = Array.isArray(filters) ? filters : readSets(filterSets);
  if (list === undefined) return undefined;
  if (list.length > REPORT_LIMITS.filters) return undefined;
  readList(list, path, failures, { nowMs, ownFields: [STAGE_FIELD] });
  readStageList(list, path, failures);
  if (JSON.stringify(list).length > SEGMENT_LIMITS.chars)
    failures.set(path, `must have at most ${SEGMENT_LIMITS.chars} characters as JSON`);
  return failures.size > 0 ? undefined : (list as SegmentFilter[]).map(withoutUnused);
}

/** An operator that takes no value may have got one, of any shape. */
function withoutUnused(filter: SegmentFilter): SegmentFilter {
  const name = findOperatorName(filter.op);
  if (name === undefined || FILTER_OPERATORS[name].takes !== "nothing") return filter;
  const { value: _unused, ...used } = filter;
  return used;
}

const SEPARATOR = "::";

/** The texts `field::op::value`: the value is everything after the second separator. */
function readSets(sets: unknown): SegmentFilter[] | undefined {
  if (!Array.isArray(sets) || !sets.every((text) => typeof text === "string")) return undefined;
  return sets.map((text) => {
    const [field = "", op = "", ...value] = text.split(SEPARATOR);
    return { field, op, ...(value.length === 0 ? {} : { value: value.join(SEPARATOR) }) };
  });
}

export function toFilterSet({ field, op, value }: SegmentFilter): string {
  const text = typeof value === "object" ? value?.join("|") : value;
  return [field, op, ...(text === undefined ? [] : [String(text)])].join(SEPARATOR);
}
