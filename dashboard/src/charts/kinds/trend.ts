import { MEASURES, type MeasureName } from "../../format/measures.ts";
import { zoneName } from "../../format/zone.ts";
import type { TimeChartProps } from "../drawings.ts";
import { askedBuckets, type KpiRow, kpiPoints } from "../kpi-points.ts";
import { type ChartContext, type ChartKind, VIEW } from "./kind.ts";

interface TrendLook {
  measure: MeasureName;
  bars?: boolean;
}

const pointsOf = (rows: readonly KpiRow[], { look, asked, nowMs, firstDay }: ChartContext<TrendLook>) =>
  kpiPoints(rows, look.measure, { ...askedBuckets(asked), nowMs, firstDay });

/** A headline number over time with its comparison, from the report `kpis`. */
export const TREND_KIND: ChartKind<KpiRow, TimeChartProps, TrendLook> = {
  needs: [...VIEW, "compare_from", "compare_to", "interval"],
  drawing: (rows, context) => {
    const { measure, bars = false } = context.look;
    const { label, format } = MEASURES[measure];
    const { interval } = askedBuckets(context.asked);
    return { label: `${label} per ${interval}`, points: pointsOf(rows, context), format, bars };
  },
  table: (rows, context) => {
    const { label, format } = MEASURES[context.look.measure];
    const { compared } = askedBuckets(context.asked);
    return {
      columns: [
        { key: "label", label: `Time (${zoneName()})`, csvKey: "start" },
        { key: "value", label, format },
        ...(compared
          ? [
              { key: "previousLabel", label: "Compared with", csvKey: "previousStart" },
              { key: "previous", label: `${label} before`, format },
            ]
          : []),
      ],
      rows: pointsOf(rows, context).map((point) => ({ ...point })),
    };
  },
  // A day without a visit is a point too.
  isEmpty: () => false,
  skeleton: "chart-skeleton",
};
