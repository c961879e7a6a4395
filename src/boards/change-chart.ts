/** A change of some fields of a chart. */
import type { ChartChange } from "../contract/charts.ts";
import { ApiError } from "../contract/errors.ts";
import { type ChartSettings, type ChartSpec, toDraft, toSpec, writeSpec } from "./chart.ts";

/** Fields that are left out stay, and so do settings with other names. */
export function changedSpec(chart: ChartSpec, changes: ChartChange): ChartSpec {
  const { settings, ...fields } = changes;
  const spec = toSpec({ ...toDraft(chart), ...fields });
  if (settings === undefined) return spec;
  return { ...spec, settings: settings === null ? null : ({ ...chart.settings, ...settings } as ChartSettings) };
}

/** The chart asks or shows something else: only its words, its place or its look may differ otherwise. */
export function asksOtherwise(one: ChartSpec, other: ChartSpec): boolean {
  return askedBy(one) !== askedBy(other);
}

function askedBy({ settings, ...spec }: ChartSpec): string {
  const { layout: _, drawn: __, ...asked } = settings ?? {};
  const byName = Object.entries(asked).sort(([first], [second]) => (first < second ? -1 : 1));
  return `${spec.chart_type} ${writeSpec({ ...spec, settings: Object.fromEntries(byName) })}`;
}

/** Somebody else has changed the question since it was checked. */
export function conflict(): ApiError {
  return new ApiError("CONFLICT", "The chart was changed meanwhile: read it again, then change it");
}
