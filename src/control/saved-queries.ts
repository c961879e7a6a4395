/** SQL that is kept for a project. */
import { ApiError } from "../contract/errors.ts";
import { SAVED_QUERY_LIMITS } from "../contract/saved-queries.ts";
import { isId, newId } from "../lib/ids.ts";
import { lockProject } from "./lock-rows.ts";
import { type Author, authorOf, countItems, ifSeen, type Owner } from "./project-items.ts";
import type { Reader, Tx } from "./store.ts";

export interface SavedQuery {
  id: string;
  projectId: string;
  name: string;
  query: string;
  createdBy: Author;
  createdAtMs: number;
  updatedAtMs: number;
}

/** By name, and those of one name by age. */
export async function listSavedQueries(db: Reader, workspaceId: string, projectId: string): Promise<SavedQuery[]> {
  const rows = await select(db, workspaceId)
    .where("saved_queries.project_id", "=", projectId)
    .orderBy("saved_queries.created_at")
    .orderBy("saved_queries.id")
    .execute();
  // Here and not in the store: the stores order letters differently.
  return rows.map(toSavedQuery).sort((one, other) => one.name.localeCompare(other.name, "en"));
}

/** Undefined if the key sees no such query. */
export async function findSavedQuery(db: Reader, owner: Owner, id: string): Promise<SavedQuery | undefined> {
  if (!isId("sqy", id)) return undefined;
  const row = await select(db, owner.workspaceId).where("saved_queries.id", "=", id).executeTakeFirst();
  const seen = ifSeen(owner, row);
  return seen && toSavedQuery(seen);
}

export async function createSavedQuery(
  tx: Tx,
  workspaceId: string,
  wanted: { projectId: string; name: string; query: string; userId: string | null },
  nowMs: number,
): Promise<string> {
  const { perProject } = SAVED_QUERY_LIMITS;
  await lockProject(tx, workspaceId, wanted.projectId);
  if ((await countItems(tx, "saved_queries", workspaceId, [wanted.projectId])) >= perProject)
    throw new ApiError("CONFLICT", `A project has at most ${perProject} saved queries: delete some`);
  const id = newId("sqy");
  await tx
    .insertInto("saved_queries")
    .values({
      id,
      workspace_id: workspaceId,
      project_id: wanted.projectId,
      name: wanted.name,
      query: wanted.query,
      created_by: wanted.userId,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .execute();
  return id;
}

export async function changeSavedQuery(
  tx: Tx,
  workspaceId: string,
  id: string,
  changes: { name?: string; query?: string },
  nowMs: number,
): Promise<void> {
  await tx
    .updateTable("saved_queries")
    .set({ ...changes, updated_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .execute();
}

export async function deleteSavedQuery(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.deleteFrom("saved_queries").where("workspace_id", "=", workspaceId).where("id", "=", id).execute();
}

function select(db: Reader, workspaceId: string) {
  return db
    .selectFrom("saved_queries")
    .leftJoin("users", "users.id", "saved_queries.created_by")
    .select([
      "saved_queries.id",
      "saved_queries.project_id",
      "saved_queries.name",
      "saved_queries.query",
      "saved_queries.created_by",
      "saved_queries.created_at",
      "saved_queries.updated_at",
      "users.name as user_name",
    ])
    .where("saved_queries.workspace_id", "=", workspaceId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirstOrThrow"]>>;

function toSavedQuery(row: Row): SavedQuery {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    query: row.query,
    createdBy: authorOf(row),
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}
