import { KPI_GROUPS } from "../../contract/metric-columns.ts";
import { defineReport, type Row } from "../report/report.ts";
import { planSeries, readSeries, type SeriesOwn, type Shown } from "../report/series.ts";
import { addsImported, KPI_FIGURES, kpiTotals } from "./kpi-parts.ts";

const figure = (name: string) => (row: Row) => Number(row[name]);
const perEntry = (name: string, unit: number) => (row: Row) =>
  Number(row.entries) === 0 ? 0 : Number(row[name]) / Number(row.entries) / unit;

const measure = (name: string, type: Shown["type"], of = figure(name)): Shown => ({
  name,
  type,
  of,
  previous: `${name}_previous`,
});

const SHOWN: readonly Shown[] = [
  measure("sessions", "UInt64"),
  measure("pageviews", "UInt64"),
  measure("bounce_rate", "Float64", perEntry("bounces", 1)),
  measure("avg_session_sec", "Float64", perEntry("active_ms", 1000)),
  // visitors_previous is, as in the public API, a number of the whole window.
  { ...measure("visitors", "UInt64"), previous: "bucket_visitors_previous" },
  measure("wallets", "UInt64"),
  measure("transactions", "UInt64"),
  measure("revenue", "Float64"),
  measure("volume", "Float64"),
  { name: "visitors_current", type: "UInt64", ofWindow: (now) => Number(now.visitors) },
  { name: "visitors_previous", type: "UInt64", ofWindow: (_now, before) => Number(before.visitors) },
];

/** Key figures by time: one row for each bucket, project and group. */
export const kpis = defineReport<SeriesOwn>({
  read: (query, failures) => readSeries(query, KPI_GROUPS, failures),
  plan: (own, context) => ({
    addsImported: addsImported(own),
    ...planSeries({
      own,
      context,
      counted: KPI_FIGURES,
      rank: { first: "sum(sessions)", second: "sum(visitors)", rankedIn: "bucket = -1" },
      totals: (ofDays, buckets) =>
        kpiTotals(own, ofDays, buckets, own.group !== undefined || own.compare !== undefined),
      shown: SHOWN,
    }),
  }),
});
