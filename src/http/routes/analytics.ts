import {
  RevenueAnswer,
  RevenueQuery,
  TopChainsAnswer,
  TopChainsQuery,
  TopSourcesAnswer,
  TopSourcesQuery,
} from "../../contract/analytics.ts";
import type { Route } from "../route.ts";
import { userRoutes } from "./analytics-users.ts";
import { visitRoutes } from "./analytics-visits.ts";
import { report } from "./report-route.ts";

/** The reports under /v0/. */
export function analyticsRoutes(): Route[] {
  return [
    report("top_sources", TopSourcesQuery, TopSourcesAnswer, {
      operationId: "topSources",
      tag: "Analytics",
      summary: "Top traffic sources",
      description:
        "Sessions by where they began. Each session counts once, under its first touch: the earliest event of the session and UTC day that knows its page or where the visitor came from. An empty referrer is reported as `Direct`.",
    }),
    report("top_chains", TopChainsQuery, TopChainsAnswer, {
      operationId: "topChains",
      tag: "Analytics",
      summary: "Top chains",
      description: "Distinct sessions and visitors by the chain of their events.",
    }),
    report("revenue_by_metric", RevenueQuery, RevenueAnswer, {
      operationId: "revenueByMetric",
      tag: "Analytics",
      summary: "Revenue by a column",
      description:
        "Revenue of events by their own column, or by that of the session's first touch where an event has none, as those tracked on a server.",
    }),
    ...visitRoutes(),
    ...userRoutes(),
  ];
}
