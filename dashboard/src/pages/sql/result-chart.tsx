import { type ComponentType, Suspense } from "react";
import type { AnyRow } from "../../charts/any-row.ts";
import { type ColumnChart, whyNot } from "../../charts/column-charts.ts";
import type { Columns } from "../../charts/columns.ts";
import { chartOf } from "../../charts/registry.ts";

interface ResultChartProps {
  type: ColumnChart;
  columns: Columns;
  rows: readonly AnyRow[];
}

/** The rows of a result in one of the charts that any rows can be drawn as, or why they cannot. */
export function ResultChart({ type, columns, rows }: ResultChartProps) {
  const why = whyNot(type, rows, columns);
  if (why !== undefined) return <p className="note">{why}</p>;
  const chart = chartOf(type);
  const Chart = chart.Chart as ComponentType<object>;
  const drawing = chart.drawing(rows, { look: columns, asked: {}, today: "", nowMs: 0 });
  return (
    <Suspense fallback={<div className="chart-skeleton" />}>
      <Chart {...drawing} />
    </Suspense>
  );
}
