import { ApiError } from "../contract/errors.ts";
import type { ApiKey } from "./keys.ts";
import type { Reader } from "./store.ts";

export interface ReportProject {
  id: string;
  excludeBots: boolean;
  /** Null: kept forever. */
  retentionDays: number | null;
  /** Whose days its reports count. */
  timezone: string;
  /** Its events are invented. */
  isDemo: boolean;
  /** Sums of days that another product counted. */
  imports: readonly { id: string; source: string; firstDay: string; lastDay: string }[];
}

/**
 * The projects that a key sees, or the requested one. A project that the key does not see is reported as absent, under
 * the name of the parameter. `bots` is what the request wants, whatever the projects are set to: `include` or `exclude`.
 */
export async function getReportProjects(
  db: Reader,
  key: Pick<ApiKey, "workspaceId" | "projectId">,
  projectId: string | undefined,
  bots?: string,
  param = "query.project_id",
): Promise<ReportProject[]> {
  const rows = await db
    .selectFrom("projects")
    .select(["id", "exclude_bots", "retention_days", "timezone", "is_demo"])
    .where("workspace_id", "=", key.workspaceId)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  const imports = await listImports(db, key.workspaceId);
  const seen = rows.filter(
    ({ id }) => (key.projectId === null || id === key.projectId) && (projectId === undefined || id === projectId),
  );
  if (projectId !== undefined && seen.length === 0)
    throw new ApiError("NOT_FOUND", "There is no such project", { param });
  return seen.map((row) => ({
    id: row.id,
    excludeBots: bots === undefined ? row.exclude_bots === 1 : bots === "exclude",
    retentionDays: row.retention_days,
    timezone: row.timezone,
    isDemo: row.is_demo === 1,
    imports: imports.filter(({ projectId: of }) => of === row.id).map(({ projectId: _of, ...days }) => days),
  }));
}

/** Those of days that are complete. Few projects have any. */
async function listImports(db: Reader, workspaceId: string) {
  const rows = await db
    .selectFrom("imports")
    .select(["id", "project_id", "source", "first_day", "last_day"])
    .where("workspace_id", "=", workspaceId)
    .where("state", "=", "done")
    .where("first_day", "is not", null)
    .orderBy("id")
    .execute();
  return rows.map(({ id, project_id, source, first_day, last_day }) => ({
    id,
    projectId: project_id,
    source,
    firstDay: first_day ?? "",
    lastDay: last_day ?? "",
  }));
}

/** The requested project, or the only one that the key sees. `param` is where the request names it. */
export async function pickProject(
  db: Reader,
  key: Pick<ApiKey, "workspaceId" | "projectId">,
  projectId: string | undefined,
  param: "query.project_id" | "body.project_id",
): Promise<ReportProject> {
  const [project, second] = await getReportProjects(db, key, projectId, undefined, param);
  if (project === undefined) throw new ApiError("NOT_FOUND", "The workspace has no project");
  if (second !== undefined)
    throw new ApiError("BAD_REQUEST", "The key sees several projects: name one by project_id", { param });
  return project;
}

/** Whom a question is about: the workspace and the projects that the key sees. */
export async function getReportOwner(...[db, key, projectId, bots]: Parameters<typeof getReportProjects>) {
  return { workspaceId: key.workspaceId, projects: await getReportProjects(db, key, projectId, bots) };
}

/** Of all workspaces: rollups are made for the whole installation. */
export async function listProjectsWithoutBots(db: Reader): Promise<string[]> {
  const rows = await db.selectFrom("projects").select("id").where("exclude_bots", "=", 1).orderBy("id").execute();
  return rows.map(({ id }) => id);
}

/** Of all workspaces: those whose events are real. */
export async function listRealProjects(db: Reader, most: number): Promise<string[]> {
  const rows = await db
    .selectFrom("projects")
    .select("id")
    .where("deleted_at", "is", null)
    .where("is_demo", "=", 0)
    .orderBy("id")
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}
