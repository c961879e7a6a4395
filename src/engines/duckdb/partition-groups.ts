/**
 * Groups of partitions that one transaction covers. Each statement takes 4 to 30 ms of planning and each transaction a
 * sync of the disk, however few rows they cover: 450 partitions of 200 events took 191 ms of processor and one sync each
 * for their rollups, where storing the events of one took 7. So small partitions of any day and project are joined, up to a
 * number of rows, and a large one is alone, in parts.
 */
import { type DuckDBValue, listValue } from "@duckdb/node-api";
import type { Partition } from "../maintenance.ts";

export type Sized = Partition & { readonly events: number };

/** Keeps the order. */
export function joinSmall<T>(partitions: readonly T[], sizeOf: (partition: T) => number, most: number): T[][] {
  const groups: T[][] = [];
  let size = 0;
  for (const partition of partitions) {
    const last = groups.at(-1);
    size += sizeOf(partition);
    if (last !== undefined && size <= most) last.push(partition);
    else {
      groups.push([partition]);
      size = sizeOf(partition);
    }
  }
  return groups;
}

/** In how many parts a group is taken: more than one only if it is one large partition. */
export function partsOf(group: readonly Sized[], most: number): number {
  const [first] = group;
  return first === undefined || group.length > 1 ? 1 : Math.max(1, Math.ceil(first.events / most));
}

/** The first and the last day: as constants in a statement they skip the row groups of other days. */
export function daysOf(partitions: readonly Partition[]): { first_day: string; last_day: string } {
  const days = partitions.map(({ day }) => day).toSorted();
  return { first_day: days[0] ?? "", last_day: days.at(-1) ?? "" };
}

/** Of rows with a project and a day: they belong to the group whose values are `groupValues`. */
export const inGroup = (day = "day") => `${day} BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
  AND (project_id, ${day}) IN (SELECT unnest(CAST($projects AS VARCHAR[])), unnest(CAST($days AS DATE[])))`;

export function groupValues(partitions: readonly Partition[]): Record<string, DuckDBValue> {
  return {
    ...daysOf(partitions),
    projects: listValue(partitions.map(({ project_id }) => project_id)),
    days: listValue(partitions.map(({ day }) => day)),
  };
}
