/** The reports that a chart can ask, with the parameters that are chosen here; others are kept as they are. */
import {
  BREAKDOWN_COLUMNS,
  BREAKDOWN_MEASURES,
  EVENT_GROUPS,
  KPI_GROUPS,
  REVENUE_COLUMNS,
  REVENUE_GROUPS,
  SOURCE_COLUMNS,
} from "../../../../src/contract/metric-columns.ts";
import type { ReportName } from "../../../../src/contract/reports.ts";

export interface ParamChoice {
  name: string;
  label: string;
  /** Absent: a number. */
  values?: readonly string[];
  /** What it is without a value; a choice without this one always has a value. */
  none?: string;
  usual?: string | number;
}

export interface ReportChoice {
  label: string;
  params: readonly ParamChoice[];
}

const LIMIT: ParamChoice = { name: "limit", label: "Rows", usual: 10 };
const by = (values: readonly string[], usual: string): ParamChoice => ({
  name: "metric_column",
  label: "Rows by",
  values,
  usual,
});
const group = (values: readonly string[]): ParamChoice => ({
  name: "group_by",
  label: "A row for each",
  values,
  none: "none",
});

export const REPORT_CHOICES: Partial<Record<ReportName, ReportChoice>> = {
  kpis: {
    label: "Key figures by time",
    params: [
      { name: "interval", label: "By", values: ["hour", "day", "week", "month", "all"], usual: "day" },
      group(KPI_GROUPS),
    ],
  },
  top_sources: { label: "Sources", params: [by(SOURCE_COLUMNS, "channel"), LIMIT] },
  top_pages: {
    label: "Pages",
    params: [{ name: "mode", label: "Which", values: ["all", "entry", "exit"], usual: "all" }, LIMIT],
  },
  top_locations: { label: "Countries", params: [LIMIT] },
  top_chains: { label: "Chains", params: [LIMIT] },
  top_wallets: { label: "Wallet apps", params: [LIMIT] },
  top_events: { label: "Events", params: [LIMIT] },
  breakdown: {
    label: "All measures by a column",
    params: [
      by(BREAKDOWN_COLUMNS, "channel"),
      { name: "order_by", label: "Largest", values: BREAKDOWN_MEASURES, usual: "visitors" },
      LIMIT,
    ],
  },
  revenue_overview: { label: "Revenue and volume by day", params: [group(REVENUE_GROUPS)] },
  revenue_by_metric: { label: "Revenue by a column", params: [by(REVENUE_COLUMNS, "channel"), LIMIT] },
  volume_by_metric: { label: "Volume by a column", params: [by(REVENUE_COLUMNS, "chain_id"), LIMIT] },
  event_timeseries: { label: "Events by day", params: [group(EVENT_GROUPS)] },
  heatmap: { label: "Activity by weekday and hour", params: [] },
  lifecycle: { label: "Wallets by how they come and go", params: [] },
  frequency: { label: "Wallets by their number of sessions", params: [] },
};

export const REPORT_CHOICE_NAMES = Object.keys(REPORT_CHOICES) as readonly ReportName[];

/** The parameters that a report begins with. */
export function usualParams(report: string): Record<string, string | number> {
  const { params } = REPORT_CHOICES[report as ReportName] ?? { params: [] };
  return Object.fromEntries(params.flatMap(({ name, usual }) => (usual === undefined ? [] : [[name, usual]])));
}
