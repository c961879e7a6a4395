import type { TSchema } from "typebox";
import {
  type ReportQuery,
  RevenueAnswer,
  RevenueQuery,
  TopChainsAnswer,
  TopChainsQuery,
  TopSourcesAnswer,
  TopSourcesQuery,
} from "../../contract/analytics.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import { readQuestion } from "../../query/question.ts";
import { REPORTS, type ReportName } from "../../query/reports/index.ts";
import { type Route, type RouteDoc, readRoute } from "../route.ts";

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
  ];
}

function report(name: ReportName, query: TSchema, answer: TSchema, doc: RouteDoc): Route {
  return readRoute({
    method: "GET",
    path: `/v0/${name}`,
    ...doc,
    access: "query:read",
    query,
    check: ({ query: given }, nowMs) => readQuestion(REPORTS[name], given as ReportQuery, nowMs),
    answers: { 200: answer },
    async handle({ key, db, query: given, checked, signal, runReport }) {
      const projects = await getReportProjects(db, key, (given as ReportQuery).project_id);
      return { status: 200, body: await runReport(name, { workspaceId: key.workspaceId, projects }, checked, signal) };
    },
  });
}
