import { FirstDaysAnswer, FirstDaysQuery } from "../../contract/first-days.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import { firstDays } from "../../query/first-days.ts";
import { readRoute } from "../route.ts";

export const listFirstDays = readRoute({
  method: "GET",
  path: "/v0/first_days",
  operationId: "firstDays",
  tag: "Analytics",
  summary: "The first day with events",
  description: "Of each project. Cheap, however many events there are: for the beginning of all time.",
  access: "query:read",
  query: FirstDaysQuery,
  answers: { 200: FirstDaysAnswer },
  async handle({ key, db, query, signal, runLookup }) {
    const projects = await getReportProjects(db, key, query.project_id);
    return { status: 200, body: await runLookup(firstDays, { workspaceId: key.workspaceId, projects }, signal) };
  },
});
