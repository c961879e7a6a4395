import { IngestAnswer, IngestQuery } from "../../contract/ingest.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import { ingestNumbers } from "../../query/ingest/ingest.ts";
import { type Route, readRoute } from "../route.ts";

/** What happened to every event. */
export function ingestRoutes(): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/v0/ingest",
      operationId: "ingest",
      tag: "Analytics",
      summary: "What happened to every event",
      description:
        "The outcomes of the events that arrived in the last hours: received = stored + duplicate + parked + refused, with the reasons. An event counts here once its outcome is known.",
      access: "query:read",
      query: IngestQuery,
      answers: { 200: IngestAnswer },
      async handle({ key, db, query, signal, runLookup, findLogLag }) {
        const projects = await getReportProjects(db, key, query.project_id);
        const owner = { workspaceId: key.workspaceId, projects };
        const numbers = await runLookup(ingestNumbers(query.hours), owner, signal);
        return { status: 200, body: { ...numbers, lag_seconds: findLogLag() ?? null } };
      },
    }),
  ];
}
