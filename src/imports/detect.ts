/** Whose export a file is, by the names of its first row. */
import type { NativeRow } from "./imported-event.ts";
import { SOURCE_NAMES, SOURCES, type SourceName } from "./sources.ts";

/** The product that needs the most of the names that are there; `generic` where none has all of its own. */
export function detectSource(row: NativeRow): SourceName {
  const fitting = SOURCE_NAMES.filter((name) => SOURCES[name].needs.length > 0 && isLike(name, row));
  const [best = "generic"] = fitting.toSorted((one, other) => SOURCES[other].needs.length - SOURCES[one].needs.length);
  return best;
}

function isLike(name: SourceName, row: NativeRow): boolean {
  if (!SOURCES[name].needs.every((field) => field in row)) return false;
  // Any row of events may have a name and properties; Mixpanel has the time among them.
  if (name !== "mixpanel") return true;
  const { properties } = row;
  return typeof properties === "object" && properties !== null && "time" in properties && "distinct_id" in properties;
}
