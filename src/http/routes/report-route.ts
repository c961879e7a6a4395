import type { TSchema } from "typebox";
import type { ReportQuery } from "../../contract/analytics.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import { readQuestion } from "../../query/question.ts";
import { REPORTS, type ReportName } from "../../query/reports/index.ts";
import { type Route, type RouteDoc, readRoute } from "../route.ts";

/** The route of a report. */
export function report(name: ReportName, query: TSchema, answer: TSchema, doc: RouteDoc): Route {
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
