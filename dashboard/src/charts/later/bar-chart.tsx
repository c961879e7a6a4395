import type { BarChartProps } from "../drawings.ts";
import { RankedBars } from "../ranked-bars.tsx";
import { SeriesChart } from "./series-chart.tsx";

/** A list by name, whose names have room on a phone as well, or bars along an axis. */
export function BarChart(props: BarChartProps) {
  if ("series" in props) return <SeriesChart {...props} />;
  const { rows, format, left } = props;
  return (
    <>
      <RankedBars rows={rows} format={format} />
      {left > 0 ? <p className="note">{left} more rows are in the table.</p> : null}
    </>
  );
}
