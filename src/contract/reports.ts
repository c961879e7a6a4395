/**
 * THE list of reports: what can be asked, with its query, its answer and its texts. Routes, their document, jobs and
 * the dashboard use it. The code of a report is in `query/reports/`, under the same name.
 */
import type { TSchema } from "typebox";
import * as common from "./analytics.ts";
import * as users from "./analytics-users.ts";
import * as visits from "./analytics-visits.ts";

interface ReportEntry {
  readonly query: TSchema;
  readonly answer: TSchema;
  readonly summary: string;
  readonly description: string;
  /** The name under which agents call it. Null for a former name of another report. */
  readonly tool: string | null;
}

const LIFECYCLE =
  "Wallets that are New, Returning, Power user, Resurrected, At Risk or Churned. Every wallet seen up to date_to counts.";

/** By the name of the path under /v0/, in the order of the document. */
export const REPORT_CATALOGUE = {
  top_sources: {
    query: common.TopSourcesQuery,
    answer: common.TopSourcesAnswer,
    summary: "Top traffic sources",
    description:
      "Sessions by where they began. Each session counts once, under its first touch: the earliest event of the session and day that knows its page or where the visitor came from. An empty referrer is reported as `Direct`.",
    tool: "top_sources",
  },
  top_chains: {
    query: common.TopChainsQuery,
    answer: common.TopChainsAnswer,
    summary: "Top chains",
    description: "Distinct sessions and visitors by the chain of their events.",
    tool: "top_chains",
  },
  revenue_by_metric: {
    query: common.RevenueQuery,
    answer: common.RevenueAnswer,
    summary: "Revenue by a column",
    description:
      "Revenue of events by their own column, or by that of the session's first touch where an event has none, as those tracked on a server.",
    tool: "revenue_by_metric",
  },
  kpis: {
    query: visits.KpisQuery,
    answer: visits.KpisAnswer,
    summary: "Key figures by time",
    description:
      "Sessions, page views, bounce rate, duration, visitors, wallets, transactions, revenue and volume: one row for each bucket of time and project, also where nothing happened.",
    tool: "kpis",
  },
  top_pages: {
    query: visits.TopPagesQuery,
    answer: visits.TopPagesAnswer,
    summary: "Top pages",
    description:
      "Pages by their views, with sessions and visitors. `mode=entry` and `mode=exit` list the pages that sessions began or ended with, with a bounce rate or an exit rate instead of visitors.",
    tool: "top_pages",
  },
  breakdown: {
    query: visits.BreakdownQuery,
    answer: visits.BreakdownAnswer,
    summary: "All measures by a column",
    description:
      "For each source, page, chain, wallet app, country, device or event: page views, sessions, visitors, wallets, wallets with a transaction and their share of the visitors, transactions, volume, revenue, and revenue by wallet. Sorted by any of them, or by its difference to other days.",
    tool: "breakdown",
  },
  revenue_overview: {
    query: visits.RevenueOverviewQuery,
    answer: visits.RevenueOverviewAnswer,
    summary: "Revenue and volume by day",
    description: "One row for each day, project and group, also where nothing was earned.",
    tool: "revenue_overview",
  },
  top_locations: {
    query: visits.TopQuery,
    answer: visits.TopLocationsAnswer,
    summary: "Top countries",
    description: "Sessions by the country of their first touch. An unknown country is the empty string.",
    tool: "top_locations",
  },
  top_wallets: {
    query: visits.TopQuery,
    answer: visits.TopWalletsAnswer,
    summary: "Top wallet apps",
    description: "Distinct sessions and visitors by the wallet app (`rdns`) of their events.",
    tool: "top_wallets",
  },
  top_events: {
    query: visits.TopEventsQuery,
    answer: visits.TopEventsAnswer,
    summary: "Top events",
    description: "Events by type and name.",
    tool: "top_events",
  },
  top_custom_events: {
    query: visits.TopQuery,
    answer: visits.TopEventsAnswer,
    summary: "Top custom events",
    description: "The former name of `top_events` with `type=custom`.",
    tool: null,
  },
  volume_by_metric: {
    query: visits.VolumeQuery,
    answer: visits.VolumeAnswer,
    summary: "Volume by a column",
    description: "As `revenue_by_metric`, for the volume of events.",
    tool: "volume_by_metric",
  },
  revenue_timeseries: {
    query: visits.RevenueTimeseriesQuery,
    answer: visits.RevenueTimeseriesAnswer,
    summary: "Revenue of one wallet",
    description:
      "Revenue and volume of the events of one wallet by day, event, page and source, over all projects that the key sees.",
    tool: "revenue_timeseries",
  },
  event_timeseries: {
    query: visits.EventTimeseriesQuery,
    answer: visits.EventTimeseriesAnswer,
    summary: "Events by day",
    description:
      "Events by day and key, over all projects that the key sees. The key is the name of an event of type `track` and the type of any other.",
    tool: "event_timeseries",
  },
  heatmap: {
    query: visits.HeatmapQuery,
    answer: visits.HeatmapAnswer,
    summary: "Activity by weekday and hour",
    description: "Page views, sessions and events by weekday and hour: 168 rows for each project.",
    tool: "heatmap",
  },
  lifecycle: {
    query: users.LifecycleQuery,
    answer: users.LifecycleAnswer,
    summary: "Wallets by how they come and go",
    description: `${LIFECYCLE} The reference day is date_to.`,
    tool: "lifecycle",
  },
  user_lifecycle: {
    query: users.LifecycleQuery,
    answer: users.LifecycleAnswer,
    summary: "Wallets by how they come and go",
    description: "The former name of `lifecycle`.",
    tool: null,
  },
  frequency: {
    query: users.FrequencyQuery,
    answer: users.FrequencyAnswer,
    summary: "Wallets by their number of sessions",
    description: "How many wallets had one session, 2 to 10, 11 to 30, 31 to 50 or more in the window.",
    tool: "frequency",
  },
  user_frequency: {
    query: users.FrequencyQuery,
    answer: users.FrequencyAnswer,
    summary: "Wallets by their number of sessions",
    description: "The former name of `frequency`.",
    tool: null,
  },
  retention: {
    query: users.RetentionQuery,
    answer: users.RetentionAnswer,
    summary: "Who comes back, week by week",
    description: "Users by the week in which they were first active, and the share of them that was active later.",
    tool: "retention",
  },
  funnel: {
    query: users.FunnelQuery,
    answer: users.FunnelAnswer,
    summary: "Conversion through steps",
    description:
      "How many visitors reach each of 2 to 10 steps, and how long they take. All projects that the key sees count together, each visitor in their own project.",
    tool: "funnel",
  },
  flow: {
    query: users.FlowQuery,
    answer: users.FlowAnswer,
    summary: "Paths after an event",
    description:
      "What people do in a session after an event, as transitions between pages and events, step by step. All projects that the key sees count together.",
    tool: "flow",
  },
} as const satisfies Record<string, ReportEntry>;

export type ReportName = keyof typeof REPORT_CATALOGUE;

export const REPORT_NAMES = Object.keys(REPORT_CATALOGUE) as readonly ReportName[];
