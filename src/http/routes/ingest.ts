import {
  IngestAnswer,
  IngestQuery,
  ParkedAnswer,
  ParkedQuery,
  ReplayAnswer,
  ReplayBody,
} from "../../contract/ingest.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import { ingestNumbers } from "../../query/ingest/ingest.ts";
import { findParkedPosition, listParked } from "../../query/ingest/parked.ts";
import { type Route, type RouteRequest, readRoute, writeRoute } from "../route.ts";

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
    readRoute({
      method: "GET",
      path: "/v0/parked",
      operationId: "listParked",
      tag: "Analytics",
      summary: "Parked events",
      description: "Accepted events that are not in reports because they are invalid, newest first. Kept 30 days.",
      access: "query:read",
      query: ParkedQuery,
      check: ({ query }) => readCursor((query as { cursor?: unknown }).cursor),
      answers: { 200: ParkedAnswer },
      async handle({ key, db, query, checked, signal, runLookup }) {
        const projects = await getReportProjects(db, key, query.project_id);
        const { reason = "", limit } = query;
        const owner = { workspaceId: key.workspaceId, projects };
        const { items, nextCursor } = await runLookup(listParked({ reason, limit, after: checked }), owner, signal);
        const next = { has_more: nextCursor !== undefined, next_cursor: nextCursor ?? null };
        return { status: 200, body: { data: items, ...next } };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/api/parked/replay",
      operationId: "replayParked",
      tag: "Settings",
      summary: "Try parked events again",
      description: "Valid ones are stored under their time of receipt, each once. The others stay parked.",
      access: "member",
      role: "editor",
      body: ReplayBody,
      answers: { 200: ReplayAnswer },
      async prepare(request) {
        const { projectId, id, reason } = request.body;
        const projects = await getReportProjects(request.db, request.key, projectId);
        replayed.set(
          request,
          await request.replayParked(
            projects.map((project) => project.id),
            { id, reason },
          ),
        );
      },
      handle: async (request) => ({ status: 200, body: { isSuccess: true, data: replayed.get(request) } }),
    }),
  ];
}

/** The effect is in the engine and cannot be part of the store's transaction: a repeated replay finds nothing to do. */
const replayed = new WeakMap<object, Awaited<ReturnType<RouteRequest["replayParked"]>>>();

function readCursor(cursor: unknown) {
  if (cursor === undefined) return { ok: true, value: undefined } as const;
  const value = typeof cursor === "string" ? findParkedPosition(cursor) : undefined;
  if (value !== undefined) return { ok: true, value } as const;
  return { ok: false, failures: new Map([["query.cursor", "must be the next_cursor of an earlier page"]]) } as const;
}
