import {
  AnnotationBody,
  AnnotationDeletedAnswer,
  AnnotationListAnswer,
  AnnotationParams,
  AnnotationQuery,
  AnnotationView,
} from "../../contract/annotations.ts";
import { ApiError } from "../../contract/errors.ts";
import { type Annotation, createAnnotation, deleteAnnotation, listAnnotations } from "../../control/annotations.ts";
import { getReportProjects, pickProject } from "../../control/report-projects.ts";
import { type Route, readRoute, writeRoute } from "../../http/route.ts";

const TAG = "Annotations";
const WRITE = { tag: TAG, access: "boards:write" } as const;
/** Without dates: all. */
const ALL_DAYS = { firstDay: "0000-01-01", lastDay: "9999-12-31" };

/** Notes on days, which charts show. */
export function annotationRoutes(): Route[] {
  return [listAnnotationsRoute, createAnnotationRoute, deleteAnnotationRoute];
}

const listAnnotationsRoute = readRoute({
  method: "GET",
  path: "/v0/annotations",
  operationId: "listAnnotations",
  tag: TAG,
  summary: "Notes on days",
  access: "boards:read",
  query: AnnotationQuery,
  answers: { 200: AnnotationListAnswer },
  async handle({ db, key, parts: { query } }) {
    const projects = await getReportProjects(db, key, query.project_id);
    const days = {
      firstDay: query.date_from ?? ALL_DAYS.firstDay,
      lastDay: query.date_to ?? ALL_DAYS.lastDay,
    };
    const ids = projects.map(({ id }) => id);
    const found = await listAnnotations(db, key.workspaceId, ids, days);
    return { status: 200, body: { data: found.map(view) } };
  },
});

const createAnnotationRoute = writeRoute({
  ...WRITE,
  method: "POST",
  path: "/v0/annotations",
  operationId: "createAnnotation",
  summary: "Note what happened on a day",
  body: AnnotationBody,
  answers: { 201: AnnotationView },
  async handle({ key, parts: { body }, nowMs }, tx) {
    const project = await pickProject(tx, key, body.project_id, "body.project_id");
    const wanted = { projectId: project.id, day: body.date, note: body.note };
    return { status: 201, body: view(await createAnnotation(tx, key.workspaceId, wanted, nowMs)) };
  },
});

const deleteAnnotationRoute = writeRoute({
  ...WRITE,
  method: "DELETE",
  path: "/v0/annotations/:annotationId",
  operationId: "deleteAnnotation",
  summary: "Delete a note",
  params: AnnotationParams,
  answers: { 200: AnnotationDeletedAnswer },
  async handle({ key, parts: { params } }, tx) {
    if (!(await deleteAnnotation(tx, key, params.annotationId)))
      throw new ApiError("NOT_FOUND", "There is no such annotation");
    return { status: 200, body: { id: params.annotationId } };
  },
});

function view({ id, projectId, day, note, createdAtMs }: Annotation) {
  return { id, project_id: projectId, date: day, note, created_at: new Date(createdAtMs).toISOString() };
}
