import type { ReportQuery } from "../../contract/analytics.ts";
import { REPORT_CATALOGUE, REPORT_NAMES, type ReportName } from "../../contract/reports.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import { JSON_TYPE } from "../../http/headers.ts";
import { type Route, readRoute } from "../../http/route.ts";
import { stringifyInSlices } from "../../lib/time-slices.ts";
import type { Reports } from "../../query/run/ask.ts";
import type { ReportAnswer } from "../../query/run/run-report.ts";

interface ReportNeeds {
  reports: Reports;
}

/** The reports under /v0/: a route for each entry of the catalogue. */
export function reportRoutes(needs: ReportNeeds): Route[] {
  return REPORT_NAMES.map((name) => reportRoute(name, needs));
}

function reportRoute(name: ReportName, { reports }: ReportNeeds): Route {
  const { query, answer, summary, description } = REPORT_CATALOGUE[name];
  return readRoute({
    method: "GET",
    path: `/v0/${name}`,
    operationId: toCamelCase(name),
    tag: "Analytics",
    summary,
    description,
    access: "query:read",
    query,
    check: ({ query: given }, nowMs) => reports.check(name, given as ReportQuery, nowMs),
    answers: { 200: answer },
    async handle({ key, db, parts: { query: given }, checked: run, signal, charge }) {
      const { project_id, bots } = given as ReportQuery;
      const projects = await getReportProjects(db, key, project_id, bots);
      const found = await run({ workspaceId: key.workspaceId, projects }, signal, charge);
      return { status: 200, contentType: JSON_TYPE, text: await toText(found) };
    },
  });
}

/** `top_sources` -> `topSources`. */
function toCamelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

async function toText({ meta, data, ...rest }: ReportAnswer): Promise<string> {
  return `{"meta":${JSON.stringify(meta)},"data":${await stringifyInSlices(data)},${JSON.stringify(rest).slice(1)}`;
}
