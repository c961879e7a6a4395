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
import { pickProject } from "../../control/report-projects.ts";
import {
  changeSavedQuery,
  createSavedQuery,
  deleteSavedQuery,
  findSavedQuery,
  listSavedQueries,
  type SavedQuery,
} from "../../control/saved-queries.ts";
import type { Reader } from "../../control/store.ts";
import { type Route, readRoute, writeRoute } from "../../http/route.ts";

const TAG = "SQL";
const WRITE = { tag: TAG, access: "boards:write" } as const;

const listSavedQueriesRoute = readRoute({
  method: "GET",
  path: "/v0/saved_queries",
  operationId: "listSavedQueries",
  tag: TAG,
  summary: "List the saved queries of a project",
  description: "By name, with their texts and the members who saved them.",
  access: "boards:read",
  query: SavedQueryListQuery,
  answers: { 200: SavedQueryListAnswer },
  async handle({ db, key, parts: { query } }) {
    const project = await pickProject(db, key, query.project_id, "query.project_id");
    const found = await listSavedQueries(db, key.workspaceId, project.id);
    return { status: 200, body: { data: found.map(view) } };
  },
});

const createSavedQueryRoute = writeRoute({
  ...WRITE,
  method: "POST",
  path: "/v0/saved_queries",
  operationId: "createSavedQuery",
  summary: "Save a query for the project",
  body: SavedQueryBody,
  answers: { 201: SavedQueryView },
  async handle({ key, member, parts: { body }, nowMs }, tx) {
    requireSql(key);
    const project = await pickProject(tx, key, body.project_id, "body.project_id");
    const { name, query } = body;
    const wanted = { projectId: project.id, name: name.trim(), query, userId: member?.userId ?? null };
    const id = await createSavedQuery(tx, key.workspaceId, wanted, nowMs);
    const made = await getSavedQuery(tx, key, id);
    return { status: 201, body: view(made), audit: { target: id, details: { name: made.name } } };
  },
});

const changeSavedQueryRoute = writeRoute({
  ...WRITE,
  method: "PATCH",
  path: "/v0/saved_queries/:savedQueryId",
  operationId: "changeSavedQuery",
  summary: "Rename a saved query, or replace its text",
  params: SavedQueryParams,
  body: SavedQueryChanges,
  answers: { 200: SavedQueryView },
  async handle({ key, parts: { params, body }, nowMs }, tx) {
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
});

const deleteSavedQueryRoute = writeRoute({
  ...WRITE,
  method: "DELETE",
  path: "/v0/saved_queries/:savedQueryId",
  operationId: "deleteSavedQuery",
  summary: "Delete a saved query",
  params: SavedQueryParams,
  answers: { 200: SavedQueryDeletedAnswer },
  async handle({ key, parts: { params } }, tx) {
    requireSql(key);
    const { id, name } = await getSavedQuery(tx, key, params.savedQueryId);
    await deleteSavedQuery(tx, key.workspaceId, id);
    return { status: 200, body: { id }, audit: { target: id, details: { name } } };
  },
});

/** SQL that a project keeps. Who may see boards sees it; who may run SQL saves it. */
export function savedQueryRoutes(): Route[] {
  return [listSavedQueriesRoute, createSavedQueryRoute, changeSavedQueryRoute, deleteSavedQueryRoute];
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
