import type { TSchema } from "typebox";
import type { ReportQuery } from "../../contract/analytics.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import { stringifyInTurns } from "../../lib/turns.ts";
import { readQuestion } from "../../query/question.ts";
import { REPORTS, type ReportName } from "../../query/reports/index.ts";
import type { ReportAnswer } from "../../query/run.ts";
import { JSON_TYPE } from "../headers.ts";
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
      const { project_id, bots } = given as ReportQuery;
      const projects = await getReportProjects(db, key, project_id, bots);
      const answer = await runReport(name, { workspaceId: key.workspaceId, projects }, checked, signal);
      return { status: 200, contentType: JSON_TYPE, text: await toText(answer) };
    },
  });
}

async function toText({ meta, data, ...rest }: ReportAnswer): Promise<string> {
  return `{"meta":${JSON.stringify(meta)},"data":${await stringifyInTurns(data)},${JSON.stringify(rest).slice(1)}`;
}
