import type { CompiledQuery } from "kysely";
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
  const rows = await listRows(db, key.workspaceId);
  const seen = Map.groupBy(
    rows.filter(
      ({ id }) => (key.projectId === null || id === key.projectId) && (projectId === undefined || id === projectId),
    ),
    ({ id }) => id,
  );
  if (projectId !== undefined && seen.size === 0)
    throw new ApiError("NOT_FOUND", "There is no such project", { param });
  return [...seen.values()].flatMap(([row, ...others]) => {
    if (row === undefined) return [];
    return {
      id: row.id,
      excludeBots: bots === undefined ? row.exclude_bots === 1 : bots === "exclude",
      retentionDays: row.retention_days,
      timezone: row.timezone,
      isDemo: row.is_demo === 1,
      imports: [row, ...others].flatMap(toImport),
    };
  });
}

interface ProjectRow {
  readonly id: string;
  readonly exclude_bots: number;
  readonly retention_days: number | null;
  readonly timezone: string;
  readonly is_demo: number;
  readonly import_id: string | null;
  readonly source: string | null;
  readonly first_day: string | null;
  readonly last_day: string | null;
}

/** Every report asks it: building the statement took longer than to run it. */
const compiled = new WeakMap<Reader, CompiledQuery<ProjectRow>>();
const WORKSPACE = Symbol("workspace") as unknown as string;

async function listRows(db: Reader, workspaceId: string): Promise<ProjectRow[]> {
  const query = compiled.get(db) ?? compileRows(db);
  compiled.set(db, query);
  const parameters = query.parameters.map((each) => (each === WORKSPACE ? workspaceId : each));
  return (await db.executeQuery<ProjectRow>({ ...query, parameters })).rows;
}

/**
 * A row for each project, or for each of its imports. Those have days that are complete; few projects have any. One
 * statement: a second one took 0.1 ms more.
 */
function compileRows(db: Reader): CompiledQuery<ProjectRow> {
  return db
    .selectFrom("projects as p")
    .leftJoin("imports as i", (join) =>
      join
        .onRef("i.project_id", "=", "p.id")
        .onRef("i.workspace_id", "=", "p.workspace_id")
        .on("i.state", "=", "done")
        .on("i.first_day", "is not", null),
    )
    .select(["p.id as id", "p.exclude_bots", "p.retention_days", "p.timezone", "p.is_demo"])
    .select(["i.id as import_id", "i.source", "i.first_day", "i.last_day"])
    .where("p.workspace_id", "=", WORKSPACE)
    .where("p.deleted_at", "is", null)
    .orderBy("p.id")
    .orderBy("i.id")
    .compile();
}

function toImport({ import_id, source, first_day, last_day }: ProjectRow) {
  if (import_id === null) return [];
  return [{ id: import_id, source: source ?? "", firstDay: first_day ?? "", lastDay: last_day ?? "" }];
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
