import { PropertiesAnswer, PropertiesQuery } from "../../contract/properties.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import { listProperties, readProperties } from "../../query/values/properties.ts";
import { readRoute } from "../route.ts";

export const eventProperties = readRoute({
  method: "GET",
  path: "/v0/event_properties",
  operationId: "eventProperties",
  tag: "Analytics",
  summary: "Properties that events have",
  description: "The keys of events' properties, with an example each, for choosing the condition of a step.",
  access: "query:read",
  query: PropertiesQuery,
  check: ({ query }, nowMs) => readProperties(query as PropertiesQuery, nowMs),
  answers: { 200: PropertiesAnswer },
  async handle({ key, db, query, checked, signal, runLookup }) {
    const projects = await getReportProjects(db, key, query.project_id);
    const owner = { workspaceId: key.workspaceId, projects };
    return { status: 200, body: await runLookup(listProperties(checked), owner, signal) };
  },
});
