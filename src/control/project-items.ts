/** What people keep for a project: boards, saved queries, segments, notes. */
import type { ApiKey } from "./keys.ts";
import type { Reader } from "./store.ts";

export type Owner = Pick<ApiKey, "workspaceId" | "projectId">;

/** Null where an API key saved it. */
export type Author = { id: string; name: string } | null;

export function authorOf(row: { created_by: string | null; user_name: string | null }): Author {
  return row.created_by === null ? null : { id: row.created_by, name: row.user_name ?? "" };
}

/** Undefined for what the key does not see. */
export function ifSeen<Row extends { project_id: string }>(owner: Owner, row: Row | undefined): Row | undefined {
  return owner.projectId === null || row?.project_id === owner.projectId ? row : undefined;
}

export async function countItems(
  db: Reader,
  table: "alerts" | "annotations" | "boards" | "report_schedules" | "saved_queries" | "segments",
  workspaceId: string,
  projectIds: readonly string[],
): Promise<number> {
  const { n } = await db
    .selectFrom(table)
    .select((is) => is.fn.countAll<number | string>().as("n"))
    .where("workspace_id", "=", workspaceId)
    .where("project_id", "in", projectIds)
    .executeTakeFirstOrThrow();
  return Number(n);
}
