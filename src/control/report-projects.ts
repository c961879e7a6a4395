import type { CompiledQuery } from "kysely";
import { ApiError } from "../contract/errors.ts";
import type { ApiKey } from "./keys.ts";
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
  const { rows } = await db.executeQuery<Row>({ ...compiled(db), parameters: [key.workspaceId] });
  const seen = rows.filter(
    ({ id }) => (key.projectId === null || id === key.projectId) && (projectId === undefined || id === projectId),
  );
  if (projectId !== undefined && seen.length === 0)
    throw new ApiError("NOT_FOUND", "There is no such project", { param: "query.project_id" });
  return seen.map((row) => ({ id: row.id, excludeBots: row.exclude_bots === 1, retentionDays: row.retention_days }));
}

interface Row {
  id: string;
  exclude_bots: number;
  retention_days: number | null;
}

/** Every report asks for this: building and compiling it each time took 0.1 of the 1.8 ms that a request took up to the engine. */
const known = new WeakMap<Reader, CompiledQuery<Row>>();

function compiled(db: Reader): CompiledQuery<Row> {
  const query =
    known.get(db) ??
    db
      .selectFrom("projects")
      .select(["id", "exclude_bots", "retention_days"])
      .where("workspace_id", "=", "")
      .orderBy("id")
      .compile();
  known.set(db, query);
  return query;
}
