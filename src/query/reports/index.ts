/** All reports, by the name of their path under /v0/. */
import type { Report } from "../report.ts";
import { revenueByMetric } from "./revenue-by-metric.ts";
import { topChains } from "./top-chains.ts";
import { topSources } from "./top-sources.ts";

export const REPORTS = {
  top_sources: topSources,
  top_chains: topChains,
  revenue_by_metric: revenueByMetric,
} as const satisfies Record<string, Report>;

export type ReportName = keyof typeof REPORTS;
