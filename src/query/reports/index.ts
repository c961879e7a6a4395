/** The code of each report of the catalogue (contract/reports.ts). */
import type { ReportName } from "../../contract/reports.ts";
import type { Report } from "../report/report.ts";
import { breakdown } from "./breakdown.ts";
import { eventTimeseries } from "./event-timeseries.ts";
import { flow } from "./flow.ts";
import { frequency } from "./frequency.ts";
import { funnel } from "./funnel.ts";
import { heatmap } from "./heatmap.ts";
import { kpis } from "./kpis.ts";
import { lifecycle } from "./lifecycle.ts";
import { retention } from "./retention.ts";
import { revenueByMetric } from "./revenue-by-metric.ts";
import { revenueOverview } from "./revenue-overview.ts";
import { revenueTimeseries } from "./revenue-timeseries.ts";
import { topChains } from "./top-chains.ts";
import { topCustomEvents, topEvents } from "./top-events.ts";
import { topLocations } from "./top-locations.ts";
import { topPages } from "./top-pages.ts";
import { topSources } from "./top-sources.ts";
import { topWallets } from "./top-wallets.ts";
import { volumeByMetric } from "./volume-by-metric.ts";

export const REPORTS: Readonly<Record<ReportName, Report>> = {
  top_sources: topSources,
  top_chains: topChains,
  revenue_by_metric: revenueByMetric,
  volume_by_metric: volumeByMetric,
  top_locations: topLocations,
  top_wallets: topWallets,
  top_events: topEvents,
  top_custom_events: topCustomEvents,
  revenue_timeseries: revenueTimeseries,
  event_timeseries: eventTimeseries,
  heatmap,
  breakdown,
  funnel,
  flow,
  kpis,
  top_pages: topPages,
  revenue_overview: revenueOverview,
  lifecycle,
  user_lifecycle: lifecycle,
  frequency,
  user_frequency: frequency,
  retention,
};
