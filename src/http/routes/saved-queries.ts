import { ApiError } from "../../contract/errors.ts";
import {
  SavedQueryBody,
  SavedQueryChanges,
  SavedQueryDeletedAnswer,
  SavedQueryListAnswer,
  SavedQueryListQuery,
  SavedQueryParams,
  SavedQueryView,
} from "../../contract/saved-queries.ts";
import { allows } from "../../contract/scopes.ts";
import type { ApiKey } from "../../control/keys.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import {
  changeSavedQuery,
  createSavedQuery,
  deleteSavedQuery,
  findSavedQuery,
  listSavedQueries,
  type SavedQuery,
} from "../../control/saved-queries.ts";
import type { Reader } from "../../control/store.ts";
import { type Route, readRoute, writeRoute } from "../route.ts";

const TAG = "SQL";

/** SQL that a project keeps. Who may see boards sees it; who may run SQL saves it. */
export function savedQueryRoutes(): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/v0/saved_queries",
      operationId: "listSavedQueries",
      tag: TAG,
      summary: "List the saved queries of a project",
      description: "By name, with their texts and the members who saved them.",
      access: "boards:read",
      query: SavedQueryListQuery,
      answers: { 200: SavedQueryListAnswer },
      async handle({ db, key, query }) {
        const [project, second] = await getReportProjects(db, key, query.project_id);
        if (project === undefined) throw new ApiError("NOT_FOUND", "The workspace has no project");
        if (second !== undefined)
          throw new ApiError("BAD_REQUEST", "The key sees several projects: name one by project_id", {
            param: "query.project_id",
          });
        const found = await listSavedQueries(db, key.workspaceId, project.id);
        return { status: 200, body: { data: found.map(view) } };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v0/saved_queries",
      operationId: "createSavedQuery",
      tag: TAG,
      summary: "Save a query for the project",
      access: "boards:write",
      body: SavedQueryBody,
      answers: { 201: SavedQueryView },
      async handle({ key, member, body, nowMs }, tx) {
        requireSql(key);
        const [project] = await getReportProjects(tx, key, body.project_id);
        if (project === undefined) throw new ApiError("NOT_FOUND", "There is no such project");
        const { name, query } = body;
        const wanted = { projectId: project.id, name: name.trim(), query, userId: member?.userId ?? null };
        const id = await createSavedQuery(tx, key.workspaceId, wanted, nowMs);
        const made = await getSavedQuery(tx, key, id);
        return { status: 201, body: view(made), audit: { target: id, details: { name: made.name } } };
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v0/saved_queries/:savedQueryId",
      operationId: "changeSavedQuery",
      tag: TAG,
      summary: "Rename a saved query, or replace its text",
      access: "boards:write",
      params: SavedQueryParams,
      body: SavedQueryChanges,
      answers: { 200: SavedQueryView },
      async handle({ key, params, body, nowMs }, tx) {
        requireSql(key);
        const { id } = await getSavedQuery(tx, key, params.savedQueryId);
        const changes = {
          ...(body.name === undefined ? {} : { name: body.name.trim() }),
          ...(body.query === undefined ? {} : { query: body.query }),
        };
        await changeSavedQuery(tx, key.workspaceId, id, changes, nowMs);
        const changed = await getSavedQuery(tx, key, id);
        return { status: 200, body: view(changed), audit: { target: id, details: { name: changed.name } } };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v0/saved_queries/:savedQueryId",
      operationId: "deleteSavedQuery",
      tag: TAG,
      summary: "Delete a saved query",
      access: "boards:write",
      params: SavedQueryParams,
      answers: { 200: SavedQueryDeletedAnswer },
      async handle({ key, params }, tx) {
        requireSql(key);
        const { id, name } = await getSavedQuery(tx, key, params.savedQueryId);
        await deleteSavedQuery(tx, key.workspaceId, id);
        return { status: 200, body: { id }, audit: { target: id, details: { name } } };
      },
    }),
  ];
}

/** The role of a member includes both scopes or neither; a key may have one of them alone. */
function requireSql(key: ApiKey): void {
  if (!allows(key.scopes, "query:read")) throw new ApiError("FORBIDDEN", "API key missing required scope: query:read");
}

async function getSavedQuery(db: Reader, key: ApiKey, id: string): Promise<SavedQuery> {
  const found = await findSavedQuery(db, key, id);
  if (found === undefined) throw new ApiError("NOT_FOUND", "There is no such saved query");
  return found;
}

function view({ id, projectId, name, query, createdBy, createdAtMs, updatedAtMs }: SavedQuery) {
  return {
    id,
    project_id: projectId,
    name,
    query,
    created_by: createdBy,
    created_at: new Date(createdAtMs).toISOString(),
    updated_at: new Date(updatedAtMs).toISOString(),
  };
}
