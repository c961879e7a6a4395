import { ValuesAnswer, ValuesQuery } from "../../contract/values.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import { listValues, readValues } from "../../query/values/values.ts";
import { readRoute } from "../route.ts";

export const distinctValues = readRoute({
  method: "GET",
  path: "/v0/distinct_values",
  operationId: "distinctValues",
  tag: "Analytics",
  summary: "Values of a filter field",
  description:
    "For choosing the value of a filter. Fields of the session count sessions by their first touch, fields of the event count events.",
  access: "query:read",
  query: ValuesQuery,
  check: ({ query }, nowMs) => readValues(query as ValuesQuery, nowMs),
  answers: { 200: ValuesAnswer },
  async handle({ key, db, query, checked, signal, runLookup }) {
    const projects = await getReportProjects(db, key, query.project_id, query.bots);
    const owner = { workspaceId: key.workspaceId, projects };
    return { status: 200, body: await runLookup(listValues(checked), owner, signal) };
  },
});
