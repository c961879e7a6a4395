import type { Static } from "typebox";
import { LiveAnswer, LiveQuery } from "../../contract/live.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import { liveNumbers, readLive } from "../../query/live/live.ts";
import { type Route, readRoute } from "../route.ts";

/** What happens now. */
export function liveRoutes(): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/v0/live",
      operationId: "live",
      tag: "Analytics",
      summary: "The last 30 minutes",
      description:
        "Visitors, sessions, wallets, events and page views of each minute, and the top pages, chains, countries and sources, by the time of the events: one that arrives late is not in it.",
      access: "query:read",
      query: LiveQuery,
      check: ({ query }) => readLive(query as Static<typeof LiveQuery>),
      answers: { 200: LiveAnswer },
      async handle({ key, db, query, checked, signal, runLookup }) {
        const projects = await getReportProjects(db, key, query.project_id);
        const owner = { workspaceId: key.workspaceId, projects };
        return { status: 200, body: await runLookup(liveNumbers(checked), owner, signal) };
      },
    }),
  ];
}
