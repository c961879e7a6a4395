import { viewProject } from "../../accounts/describe.ts";
import { ApiError } from "../../contract/errors.ts";
import {
  DeletedAnswer,
  ProjectAnswer,
  ProjectBody,
  ProjectChangeBody,
  ProjectListAnswer,
  ProjectParams,
  WorkspaceAnswer,
  WorkspaceBody,
} from "../../contract/settings.ts";
import { validationError } from "../../contract/validation-error.ts";
import { setRetention } from "../../control/retention.ts";
import type { Tx } from "../../control/store.ts";
import {
  createProject,
  deleteProject,
  findProject,
  listProjects,
  renameProject,
  renameWorkspace,
  setExcludeBots,
  setMoneyUnit,
  setTimeZone,
} from "../../control/tenants.ts";
import { deleteDemo } from "../../demo/project.ts";
import { type Route, readRoute, success, writeRoute } from "../../http/route.ts";
import { isTimeZone } from "../../lib/time-zones.ts";
import { readName } from "../read-name.ts";

const common = { tag: "Settings", access: "member" } as const;

const listProjectsRoute = readRoute({
  ...common,
  method: "GET",
  path: "/api/settings/projects",
  operationId: "listProjects",
  summary: "List the projects of the workspace",
  answers: { 200: ProjectListAnswer },
  handle: async ({ db, key }) => success((await listProjects(db, key.workspaceId)).map(viewProject)),
});

const createProjectRoute = writeRoute({
  ...common,
  method: "POST",
  path: "/api/settings/projects",
  operationId: "createProject",
  summary: "Create a project",
  role: "admin",
  body: ProjectBody,
  answers: { 201: ProjectAnswer },
  handle: async ({ key, parts: { body }, nowMs }, tx) => {
    const name = readName(body.name);
    const made = await refuseTaken(createProject(tx, key.workspaceId, name, nowMs));
    return { status: 201, body: { isSuccess: true, data: viewProject(made) }, audit: { details: { name } } };
  },
});

const changeProjectRoute = writeRoute({
  ...common,
  method: "PATCH",
  path: "/api/settings/projects/:projectId",
  operationId: "changeProject",
  summary:
    "Rename a project, or set whether reports count bots, how long events are kept, the unit of money and the time zone",
  role: "admin",
  params: ProjectParams,
  body: ProjectChangeBody,
  answers: { 200: ProjectAnswer },
  handle: async ({ key, parts: { params, body } }, tx) => {
    // A request without a body changes nothing.
    await changeProject(tx, key.workspaceId, params.projectId, body ?? {});
    const project = await findProject(tx, key.workspaceId, params.projectId);
    if (project === undefined) throw new ApiError("NOT_FOUND", "There is no such project");
    return { status: 200, body: { isSuccess: true, data: viewProject(project) }, audit: { details: { ...body } } };
  },
});

const deleteProjectRoute = writeRoute({
  ...common,
  method: "DELETE",
  path: "/api/settings/projects/:projectId",
  operationId: "deleteProject",
  summary: "Delete a project with its keys and events",
  description: "It is hidden and its keys are revoked at once; its events are removed within minutes.",
  role: "admin",
  params: ProjectParams,
  answers: { 200: DeletedAnswer },
  handle: async ({ key, parts: { params }, nowMs }, tx) => {
    const { projectId } = params;
    const project = await findProject(tx, key.workspaceId, projectId);
    if (project === undefined) throw new ApiError("NOT_FOUND", "There is no such project");
    if (project.isDemo) await deleteDemo(tx, project, nowMs);
    else await deleteProject(tx, key.workspaceId, projectId, nowMs);
    return success({ id: projectId });
  },
});

const renameWorkspaceRoute = writeRoute({
  ...common,
  method: "PATCH",
  path: "/api/settings/workspace",
  operationId: "renameWorkspace",
  summary: "Rename the workspace",
  role: "owner",
  body: WorkspaceBody,
  answers: { 200: WorkspaceAnswer },
  handle: async ({ key, parts: { body } }, tx) => {
    const name = readName(body.name);
    await renameWorkspace(tx, key.workspaceId, name);
    const data = { id: key.workspaceId, name };
    return { status: 200, body: { isSuccess: true, data }, audit: { target: key.workspaceId, details: { name } } };
  },
});

export function projectRoutes(): Route[] {
  return [listProjectsRoute, createProjectRoute, changeProjectRoute, deleteProjectRoute, renameWorkspaceRoute];
}

async function changeProject(
  tx: Tx,
  workspaceId: string,
  projectId: string,
  change: {
    name?: string;
    excludeBots?: boolean;
    retentionDays?: number | null;
    moneyUnit?: string;
    timezone?: string;
  },
): Promise<void> {
  if ((await findProject(tx, workspaceId, projectId)) === undefined)
    throw new ApiError("NOT_FOUND", "There is no such project");
  if (change.name !== undefined) await refuseTaken(renameProject(tx, workspaceId, projectId, readName(change.name)));
  if (change.excludeBots !== undefined) await setExcludeBots(tx, workspaceId, projectId, change.excludeBots);
  if (change.retentionDays !== undefined) await setRetention(tx, workspaceId, projectId, change.retentionDays);
  if (change.moneyUnit !== undefined) await setMoneyUnit(tx, workspaceId, projectId, change.moneyUnit);
  if (change.timezone !== undefined) await setTimeZone(tx, workspaceId, projectId, readZone(change.timezone));
}

function readZone(name: string): string {
  if (isTimeZone(name)) return name;
  const reason = "must be the name of a time zone, such as Europe/Berlin";
  throw validationError(new Map([["body.timezone", reason]]));
}

async function refuseTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (/unique/i.test((cause as Error).message))
      throw new ApiError("CONFLICT", "The workspace has a project of this name", { param: "body.name" });
    throw cause;
  }
}
