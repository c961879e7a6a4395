import { MEASURES, type MeasureName } from "../../format/measures.ts";
import { zoneName } from "../../format/zone.ts";
import type { SeriesChartProps } from "../drawings.ts";
import { askedBuckets, type KpiRow, kpiPoints } from "../kpi-points.ts";
import { type ChartContext, type ChartKind, type Part, VIEW } from "./kind.ts";

export interface SegmentsLook {
  measure: MeasureName;
  /** In the order of the lines. */
  segments: readonly { id: string; title: string }[];
}

/** The parameter of the page: ids with commas between them. The service is asked for one at a time. */
export const COMPARED = "compared";

function linesOf(parts: readonly Part<KpiRow>[], { look, nowMs, firstDay }: ChartContext<SegmentsLook>) {
  return parts.map(({ asked, rows }) => ({
    name: look.segments.find(({ id }) => id === asked.segment)?.title ?? "",
    points: kpiPoints(rows, look.measure, { ...askedBuckets(asked), nowMs, firstDay }),
  }));
}

/** A headline number over time, a line for each segment: the report `kpis` for each of them. */
export const SEGMENTS_KIND: ChartKind<Part<KpiRow>, SeriesChartProps, SegmentsLook> = {
  needs: [...VIEW, "interval"],
  parts: (asked) =>
    String(asked[COMPARED] ?? "")
      .split(",")
      .map((segment) => ({ segment, [COMPARED]: undefined })),
  drawing: (parts, context) => {
    const lines = linesOf(parts, context);
    const { label, format } = MEASURES[context.look.measure];
    return {
      label: `${label} by segment`,
      places: (lines[0]?.points ?? []).map((point) => ({ label: point.label, axis: point.axis })),
      series: lines.map(({ name, points }) => ({ name, values: points.map(({ value }) => value) })),
      shape: "line",
      isStacked: false,
      format,
    };
  },
  table: (parts, context) => {
    const lines = linesOf(parts, context);
    const { format } = MEASURES[context.look.measure];
    return {
      columns: [
        { key: "label", label: `Time (${zoneName()})`, csvKey: "start" },
        ...lines.map(({ name }, nth) => ({ key: `line_${nth}`, label: name, format })),
      ],
      rows: (lines[0]?.points ?? []).map(({ label, start }, index) => ({
        label,
        start,
        ...Object.fromEntries(lines.map(({ points }, nth) => [`line_${nth}`, points[index]?.value ?? null])),
      })),
    };
  },
  // A day without a visit is a point too.
  isEmpty: () => false,
  skeleton: "chart-skeleton",
};
