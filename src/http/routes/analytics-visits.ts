import * as contract from "../../contract/analytics-visits.ts";
import type { Route } from "../route.ts";
import { report } from "./report-route.ts";

const tag = "Analytics";

/** The reports of visits, events and money. */
export function visitRoutes(): Route[] {
  return [
    report("kpis", contract.KpisQuery, contract.KpisAnswer, {
      operationId: "kpis",
      tag,
      summary: "Key figures by time",
      description:
        "Sessions, page views, bounce rate, duration, visitors, wallets, transactions, revenue and volume: one row for each bucket of time and project, also where nothing happened.",
    }),
    report("top_pages", contract.TopPagesQuery, contract.TopPagesAnswer, {
      operationId: "topPages",
      tag,
      summary: "Top pages",
      description:
        "Pages by their views, with sessions and visitors. `mode=entry` and `mode=exit` list the pages that sessions began or ended with, with a bounce rate or an exit rate instead of visitors.",
    }),
    report("breakdown", contract.BreakdownQuery, contract.BreakdownAnswer, {
      operationId: "breakdown",
      tag,
      summary: "All measures by a column",
      description:
        "For each source, page, chain, wallet app, country, device or event: page views, sessions, visitors, wallets, wallets with a transaction and their share of the visitors, transactions, volume, revenue, and revenue by wallet. Sorted by any of them, or by its difference to other days.",
    }),
    report("revenue_overview", contract.RevenueOverviewQuery, contract.RevenueOverviewAnswer, {
      operationId: "revenueOverview",
      tag,
      summary: "Revenue and volume by day",
      description: "One row for each day, project and group, also where nothing was earned.",
    }),
    report("top_locations", contract.TopQuery, contract.TopLocationsAnswer, {
      operationId: "topLocations",
      tag,
      summary: "Top countries",
      description: "Sessions by the country of their first touch. An unknown country is the empty string.",
    }),
    report("top_wallets", contract.TopQuery, contract.TopWalletsAnswer, {
      operationId: "topWallets",
      tag,
      summary: "Top wallet apps",
      description: "Distinct sessions and visitors by the wallet app (`rdns`) of their events.",
    }),
    report("top_events", contract.TopEventsQuery, contract.TopEventsAnswer, {
      operationId: "topEvents",
      tag,
      summary: "Top events",
      description: "Events by type and name.",
    }),
    report("top_custom_events", contract.TopQuery, contract.TopEventsAnswer, {
      operationId: "topCustomEvents",
      tag,
      summary: "Top custom events",
      description: "The former name of `top_events` with `type=custom`.",
    }),
    report("volume_by_metric", contract.VolumeQuery, contract.VolumeAnswer, {
      operationId: "volumeByMetric",
      tag,
      summary: "Volume by a column",
      description: "As `revenue_by_metric`, for the volume of events.",
    }),
    report("revenue_timeseries", contract.RevenueTimeseriesQuery, contract.RevenueTimeseriesAnswer, {
      operationId: "revenueTimeseries",
      tag,
      summary: "Revenue of one wallet",
      description:
        "Revenue and volume of the events of one wallet by day, event, page and source, over all projects that the key sees.",
    }),
    report("event_timeseries", contract.EventTimeseriesQuery, contract.EventTimeseriesAnswer, {
      operationId: "eventTimeseries",
      tag,
      summary: "Events by day",
      description:
        "Events by day and key, over all projects that the key sees. The key is the name of an event of type `track` and the type of any other.",
    }),
    report("heatmap", contract.HeatmapQuery, contract.HeatmapAnswer, {
      operationId: "heatmap",
      tag,
      summary: "Activity by weekday and hour",
      description: "Page views, sessions and events by weekday and hour in UTC: 168 rows for each project.",
    }),
  ];
}
