import type { Static } from "typebox";
import { LiveAnswer, LiveQuery, LiveStreamQuery } from "../../contract/live.ts";
import { getReportOwner } from "../../control/report-projects.ts";
import { demoWriteKey } from "../../demo/project.ts";
import type { DemoRuns } from "../../demo/runs.ts";
import { openLiveStream, STREAM_HEADERS } from "../../http/live-stream.ts";
import { createMeter } from "../../http/request-cost.ts";
import { type Route, readRoute } from "../../http/route.ts";
import type { IsStillAllowed } from "../../http/still-allowed.ts";
import type { Clock } from "../../lib/clock.ts";
import { findPosition } from "../../query/activity/position.ts";
import type { LiveHub } from "../../query/live/hub.ts";
import { liveNumbers, readLive } from "../../query/live/live.ts";
import type { Known } from "../../query/report/question.ts";
import type { RunLookup } from "../../query/run/run-lookup.ts";
import { type FindSegment, readWithSegment } from "../../query/run/with-segment.ts";

const STREAM_PATH = "/v0/live/stream";

export interface LiveNeeds {
  runLookup: RunLookup;
  findSegment: FindSegment;
  live: LiveHub;
  clock: Clock;
  isStillAllowed: IsStillAllowed;
  demos: DemoRuns;
  /** The installation's, behind the write key of the demo. */
  secret: Buffer;
}

/** What happens now. */
export function liveRoutes(needs: LiveNeeds): Route[] {
  return [liveRoute(needs), liveStreamRoute(needs)];
}

const liveRoute = ({ runLookup, findSegment }: LiveNeeds) =>
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
    check: ({ query }, nowMs) => readLive(query as Static<typeof LiveQuery>, nowMs),
    answers: { 200: LiveAnswer },
    async handle({ key, db, parts: { query }, checked, nowMs, signal, charge }) {
      const owner = await getReportOwner(db, key, query.project_id);
      const read = ({ segment }: Known) => readLive(query, nowMs, segment);
      const filters = await readWithSegment(findSegment, owner, query, checked, read);
      return { status: 200, body: await runLookup(liveNumbers(filters), owner, signal, charge) };
    },
  });

const liveStreamRoute = ({ live, clock, isStillAllowed, demos, secret }: LiveNeeds) =>
  readRoute({
    method: "GET",
    path: STREAM_PATH,
    operationId: "liveStream",
    tag: "Analytics",
    summary: "Events as they are stored",
    description:
      "Server-Sent Events: `event` for each stored event, `counts` every five seconds, `skipped` with the number of events beyond 50 a second, `end` before the service ends the stream. The header Last-Event-ID resumes after an event of the last 30 minutes.",
    access: "query:read",
    query: LiveStreamQuery,
    answers: { 200: "text/event-stream" },
    async handle(request) {
      const { key, db, parts, charge } = request;
      const { query, headers } = parts;
      const owner = await getReportOwner(db, key, query.project_id);
      const lastEventId = [headers["last-event-id"]].flat()[0];
      const after = lastEventId === undefined ? undefined : findPosition(lastEventId);
      const access = {
        hub: live,
        clock,
        isStillAllowed: () => isStillAllowed(STREAM_PATH, request),
        spent: createMeter(charge),
      };
      const stream = await openLiveStream(access, owner, after);
      const [project] = owner.projects;
      if (query.project_id !== undefined && project?.isDemo && !stream.destroyed)
        stream.once("close", demos.watch(project.id, demoWriteKey(secret, project.id)));
      return { status: 200, contentType: "text/event-stream", headers: STREAM_HEADERS, stream };
    },
  });
