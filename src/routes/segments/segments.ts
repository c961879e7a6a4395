import { ApiError } from "../../contract/errors.ts";
import {
  SegmentBody,
  SegmentChanges,
  SegmentDeletedAnswer,
  SegmentDeleteQuery,
  SegmentListAnswer,
  SegmentListQuery,
  SegmentParams,
  SegmentView,
} from "../../contract/segments.ts";
import { lockSegment } from "../../control/lock-rows.ts";
import type { Owner } from "../../control/project-items.ts";
import { getReportProjects, pickProject } from "../../control/report-projects.ts";
import {
  changeSegment,
  createSegment,
  deleteSegment,
  findSegment,
  listSegments,
  type Segment,
} from "../../control/segments.ts";
import type { Reader } from "../../control/store.ts";
import { type Checked, type Route, readRoute, writeRoute } from "../../http/route.ts";
import { readSegmentFilters, toFilterSet } from "../../query/reports/segment-filters.ts";

const TAG = "Segments";

interface SegmentUser {
  readonly id: string;
  readonly title: string;
}

/** What would fail without a segment. */
export interface SegmentUsers {
  readonly charts: readonly SegmentUser[];
  /** Public links of boards. */
  readonly links: readonly SegmentUser[];
}

interface SegmentNeeds {
  findSegmentUsers: (db: Reader, workspaceId: string, segment: Segment) => Promise<SegmentUsers>;
}

/** Saved filters. A report that names one by `segment` asks as if its filters were sent. */
export function segmentRoutes({ findSegmentUsers }: SegmentNeeds): Route[] {
  return [
    listSegmentsRoute,
    createSegmentRoute,
    getSegmentRoute,
    changeSegmentRoute,
    deleteSegmentRoute({ findSegmentUsers }),
  ];
}

const listSegmentsRoute = readRoute({
  method: "GET",
  path: "/v0/segments",
  operationId: "listSegments",
  tag: TAG,
  summary: "List segments, newest first",
  access: "segments:read",
  query: SegmentListQuery,
  answers: { 200: SegmentListAnswer },
  async handle({ db, key, parts: { query } }) {
    const projects = await getReportProjects(db, key, query.project_id);
    const ids = projects.map(({ id }) => id);
    const { data, ...page } = await listSegments(db, key.workspaceId, ids, query);
    return { status: 200, body: { data: data.map(view), ...page } };
  },
});

const createSegmentRoute = writeRoute({
  method: "POST",
  path: "/v0/segments",
  operationId: "createSegment",
  tag: TAG,
  summary: "Save filters as a segment",
  description: "With `filters`, or in the older form `filterSets`. Reports then take its id as `segment`.",
  access: "segments:write",
  body: SegmentBody,
  check: ({ body }, nowMs) => checkFilters(body, nowMs, true),
  answers: { 200: SegmentView },
  async handle({ key, member, parts: { body }, checked: filters, nowMs }, tx) {
    const project = await pickProject(tx, key, body.project_id, "body.project_id");
    const wanted = {
      projectId: project.id,
      title: body.title.trim(),
      filters: filters ?? [],
      userId: member?.userId ?? null,
    };
    const id = await createSegment(tx, key.workspaceId, wanted, nowMs);
    const made = await getSegment(tx, key, id);
    return { status: 200, body: view(made), audit: { target: id, details: { title: made.title } } };
  },
});

const getSegmentRoute = readRoute({
  method: "GET",
  path: "/v0/segments/:segmentId",
  operationId: "getSegment",
  tag: TAG,
  summary: "Read a segment",
  access: "segments:read",
  params: SegmentParams,
  answers: { 200: SegmentView },
  handle: async ({ db, key, parts: { params } }) => ({
    status: 200,
    body: view(await getSegment(db, key, params.segmentId)),
  }),
});

const changeSegmentRoute = writeRoute({
  method: "PATCH",
  path: "/v0/segments/:segmentId",
  operationId: "changeSegment",
  tag: TAG,
  summary: "Rename a segment, or replace its filters",
  description: "Whatever names the segment asks with the new filters from then on.",
  access: "segments:write",
  params: SegmentParams,
  body: SegmentChanges,
  check: ({ body }, nowMs) => checkFilters(body, nowMs, false),
  answers: { 200: SegmentView },
  async handle({ key, parts: { params, body }, checked: filters, nowMs }, tx) {
    const { id } = await getSegment(tx, key, params.segmentId);
    await changeSegment(tx, key.workspaceId, id, { title: body.title?.trim(), filters }, nowMs);
    const changed = await getSegment(tx, key, id);
    return { status: 200, body: view(changed), audit: { target: id, details: { title: changed.title } } };
  },
});

const deleteSegmentRoute = ({ findSegmentUsers }: SegmentNeeds) =>
  writeRoute({
    method: "DELETE",
    path: "/v0/segments/:segmentId",
    operationId: "deleteSegment",
    tag: TAG,
    summary: "Delete a segment",
    description:
      "A segment that charts or public links use is deleted only with `force`: otherwise the answer is 400 and names them.",
    access: "segments:write",
    params: SegmentParams,
    query: SegmentDeleteQuery,
    answers: { 200: SegmentDeletedAnswer },
    async handle({ key, parts: { params, query } }, tx) {
      const segment = await getSegment(tx, key, params.segmentId);
      const { id, title, projectId } = segment;
      // A chart that is being saved with it is found, or is refused afterwards.
      await lockSegment(tx, key.workspaceId, projectId, id);
      const users = await findSegmentUsers(tx, key.workspaceId, segment);
      const isUsed = users.charts.length + users.links.length > 0;
      if (isUsed && query.force !== true) throw new ApiError("BAD_REQUEST", describeUse(users));
      await deleteSegment(tx, key.workspaceId, id);
      return {
        status: 200,
        body: isUsed ? users : null,
        audit: { target: id, details: { title, ...(isUsed ? { ...users } : {}) } },
      };
    },
  });

const MOST_NAMED = 10;

function describeUse({ charts, links }: SegmentUsers): string {
  const users = [...charts, ...links];
  const named = users.slice(0, MOST_NAMED).map(({ id, title }) => `"${title}" (${id})`);
  const more = users.length > MOST_NAMED ? ` and ${users.length - MOST_NAMED} more` : "";
  const counted = [countOf("chart", charts), countOf("link", links)].filter((text) => text !== "").join(" and ");
  const all = users.length === 1 ? counted.replace("1", "The") : counted;
  return `${all} ${named.join(", ")}${more} would fail without the segment; force=true deletes it all the same`;
}

function countOf(noun: string, { length }: readonly SegmentUser[]): string {
  return length === 0 ? "" : `${length} ${noun}${length === 1 ? "" : "s"}`;
}

function checkFilters(body: unknown, nowMs: number, isRequired: boolean): Checked<Segment["filters"] | undefined> {
  const failures = new Map<string, string>();
  const given = (typeof body === "object" && body !== null ? body : {}) as { filters?: unknown; filterSets?: unknown };
  const filters = readSegmentFilters(given, failures, nowMs);
  if (isRequired && given.filters === undefined && given.filterSets === undefined)
    failures.set("body.filters", "is required");
  return failures.size > 0 ? { ok: false, failures } : { ok: true, value: filters };
}

async function getSegment(db: Reader, key: Owner, id: string): Promise<Segment> {
  const found = await findSegment(db, key, id);
  if (found === undefined) throw new ApiError("NOT_FOUND", "There is no such segment");
  return found;
}

function view({ id, projectId, title, filters, createdBy, createdAtMs, updatedAtMs }: Segment) {
  return {
    id,
    title,
    projectId,
    filters,
    filterSet: filters.map(toFilterSet),
    created_by: createdBy,
    created_at: new Date(createdAtMs).toISOString(),
    updated_at: new Date(updatedAtMs).toISOString(),
  };
}
