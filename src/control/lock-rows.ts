/**
 * Locks rows until the transaction ends, so that what a write has counted or looked up still holds when it commits. It
 * is an update that changes nothing: PostgreSQL then lets other writers of the row wait, whose next statement sees what
 * was committed. SQLite has no other lock, and lets all writers wait anyway.
 */
import { ApiError } from "../contract/errors.ts";
import type { Tx } from "./store.ts";

/** Before what the whole workspace has is counted: its addresses of mail, its uploads. */
export async function lockWorkspace(tx: Tx, workspaceId: string): Promise<void> {
  await tx
    .updateTable("workspaces")
    .set((is) => ({ name: is.ref("name") }))
    .where("id", "=", workspaceId)
    .execute();
}

/** Before its boards or segments are counted. */
export async function lockProject(tx: Tx, workspaceId: string, projectId: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("projects")
    .set((is) => ({ name: is.ref("name") }))
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", projectId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new ApiError("NOT_FOUND", "There is no such project");
}

/** Before its charts are counted or deleted, or one is added. */
export async function lockBoardRow(tx: Tx, workspaceId: string, boardId: string): Promise<void> {
  await tx
    .updateTable("boards")
    .set((is) => ({ title: is.ref("title") }))
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", boardId)
    .execute();
}

/** Before something that names it is saved, or it is deleted. False if the project has no such segment. */
export async function lockSegment(tx: Tx, workspaceId: string, projectId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("segments")
    .set((is) => ({ title: is.ref("title") }))
    .where("workspace_id", "=", workspaceId)
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
