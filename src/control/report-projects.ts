import { ApiError } from "../contract/errors.ts";
import type { ApiKey } from "./api-keys.ts";
import type { Reader } from "./store.ts";

export interface ReportProject {
  id: string;
  excludeBots: boolean;
  /** Null: for ever. */
  retentionDays: number | null;
}

/** The projects a key sees, or the one asked for. One it does not see is as absent as one that does not exist. */
export async function getReportProjects(
  db: Reader,
  key: Pick<ApiKey, "workspaceId" | "projectId">,
  projectId: string | undefined,
): Promise<ReportProject[]> {
  const rows = await db
    .selectFrom("projects")
    .select(["id", "exclude_bots", "retention_days"])
    .where("workspace_id", "=", key.workspaceId)
    .orderBy("id")
    .execute();
  const seen = rows.filter(
    ({ id }) => (key.projectId === null || id === key.projectId) && (projectId === undefined || id === projectId),
  );
  if (projectId !== undefined && seen.length === 0)
    throw new ApiError("NOT_FOUND", "There is no such project", { param: "query.project_id" });
  return seen.map((row) => ({ id: row.id, excludeBots: row.exclude_bots === 1, retentionDays: row.retention_days }));
}
