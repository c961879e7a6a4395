import type { Static } from "typebox";
import { LiveAnswer, LiveQuery, LiveStreamQuery } from "../../contract/live.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import { demoWriteKey } from "../../demo/project.ts";
import { findPosition } from "../../query/activity/position.ts";
import { liveNumbers, readLive } from "../../query/live/live.ts";
import { openLiveStream, STREAM_HEADERS } from "../live-stream.ts";
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
    readRoute({
      method: "GET",
      path: "/v0/live/stream",
      operationId: "liveStream",
      tag: "Analytics",
      summary: "Events as they are stored",
      description:
        "Server-Sent Events: `event` for each stored event, `counts` every five seconds, `skipped` with the number of events beyond 50 a second, `end` before the service ends the stream. The header Last-Event-ID resumes after an event of the last 30 minutes.",
      access: "query:read",
      query: LiveStreamQuery,
      answers: { 200: "text/event-stream" },
      async handle({ key, db, query, live, demos, secret }) {
        const projects = await getReportProjects(db, key, query.project_id);
        const owner = { workspaceId: key.workspaceId, projects };
        const after = live.lastEventId === undefined ? undefined : findPosition(live.lastEventId);
        const stream = await openLiveStream(live, owner, after);
        const [project] = projects;
        if (query.project_id !== undefined && project?.isDemo && !stream.destroyed)
          stream.once("close", demos.watch(project.id, demoWriteKey(secret, project.id)));
        return { status: 200, contentType: "text/event-stream", headers: STREAM_HEADERS, stream };
      },
    }),
  ];
}
