import {
  IngestAnswer,
  IngestQuery,
  ParkedAnswer,
  ParkedQuery,
  ReplayAnswer,
  ReplayBody,
} from "../../contract/ingest.ts";
import { getReportOwner, getReportProjects } from "../../control/report-projects.ts";
import { type Route, readRoute, success, writeRoute } from "../../http/route.ts";
import { ingestNumbers } from "../../query/ledger/ingest.ts";
import { findParkedPosition, listParked } from "../../query/ledger/parked.ts";
import type { RunLookup } from "../../query/run/run-lookup.ts";

export type ReplayParked = (
  projects: readonly string[],
  filter: { reason?: string | undefined; id?: string | undefined },
) => Promise<{ stored: number; stillInvalid: number }>;

export interface IngestNeeds {
  runLookup: RunLookup;
  /** Seconds from accepting an event to storing it; undefined on a node that accepts none. */
  findLogLag: () => number | undefined;
  /** Tries parked events of these projects again. */
  replayParked: ReplayParked;
}

/** What happened to every event. */
export function ingestRoutes(needs: IngestNeeds): Route[] {
  return [ingestRoute(needs), listParkedRoute(needs), replayParkedRoute(needs)];
}

const ingestRoute = ({ runLookup, findLogLag }: IngestNeeds) =>
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
    async handle({ key, db, parts: { query }, signal, charge }) {
      const owner = await getReportOwner(db, key, query.project_id);
      const numbers = await runLookup(ingestNumbers(query.hours), owner, signal, charge);
      return { status: 200, body: { ...numbers, lag_seconds: findLogLag() ?? null } };
    },
  });

const listParkedRoute = ({ runLookup }: IngestNeeds) =>
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
    async handle({ key, db, parts: { query }, checked, signal, charge }) {
      const owner = await getReportOwner(db, key, query.project_id);
      const { reason = "", limit } = query;
      const question = listParked({ reason, limit, after: checked });
      const { items, nextCursor } = await runLookup(question, owner, signal, charge);
      const next = { has_more: nextCursor !== undefined, next_cursor: nextCursor ?? null };
      return { status: 200, body: { data: items, ...next } };
    },
  });

const replayParkedRoute = ({ replayParked }: IngestNeeds) =>
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
      const { projectId, id, reason } = request.parts.body;
      const projects = await getReportProjects(request.db, request.key, projectId);
      replayed.set(
        request,
        await replayParked(
          projects.map((project) => project.id),
          { id, reason },
        ),
      );
    },
    handle: async (request) => success(replayed.get(request)),
  });

/** The effect is in the engine and cannot be part of the store's transaction: a repeated replay finds nothing to do. */
const replayed = new WeakMap<object, Awaited<ReturnType<ReplayParked>>>();

function readCursor(cursor: unknown) {
  if (cursor === undefined) return { ok: true, value: undefined } as const;
  const value = typeof cursor === "string" ? findParkedPosition(cursor) : undefined;
  if (value !== undefined) return { ok: true, value } as const;
  return { ok: false, failures: new Map([["query.cursor", "must be the next_cursor of an earlier page"]]) } as const;
}
