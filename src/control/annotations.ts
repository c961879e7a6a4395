/** Notes on days of a project. */
import { ANNOTATION_LIMITS } from "../contract/annotations.ts";
import { ApiError } from "../contract/errors.ts";
import { isId, newId } from "../lib/ids.ts";
import { lockProject } from "./lock-rows.ts";
import { countItems, type Owner } from "./project-items.ts";
import type { Reader, Tx } from "./store.ts";

export interface Annotation {
  id: string;
  projectId: string;
  day: string;
  note: string;
  createdAtMs: number;
}

const COLUMNS = ["id", "project_id", "day", "note", "created_at"] as const;

interface Days {
  firstDay: string;
  lastDay: string;
}

/** In the order of days. */
export async function listAnnotations(
  db: Reader,
  workspaceId: string,
  projectIds: readonly string[],
  { firstDay, lastDay }: Days,
): Promise<Annotation[]> {
  if (projectIds.length === 0) return [];
  const rows = await db
    .selectFrom("annotations")
    .select(COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("project_id", "in", projectIds)
    .where("day", ">=", firstDay)
    .where("day", "<=", lastDay)
    .orderBy("day")
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toAnnotation);
}

export async function createAnnotation(
  tx: Tx,
  workspaceId: string,
  { projectId, day, note }: { projectId: string; day: string; note: string },
  nowMs: number,
): Promise<Annotation> {
  const { perProject } = ANNOTATION_LIMITS;
  await lockProject(tx, workspaceId, projectId);
  if ((await countItems(tx, "annotations", workspaceId, [projectId])) >= perProject)
    throw new ApiError("CONFLICT", `A project has at most ${perProject} annotations: delete some`);
  const row = { id: newId("ann"), project_id: projectId, day, note, created_at: nowMs };
  await tx
    .insertInto("annotations")
    .values({ ...row, workspace_id: workspaceId })
    .execute();
  return toAnnotation(row);
}

/** False if the key sees no such annotation. */
export async function deleteAnnotation(
  tx: Tx,
  { workspaceId, projectId }: Owner,
  annotationId: string,
): Promise<boolean> {
  if (!isId("ann", annotationId)) return false;
  const all = tx.deleteFrom("annotations").where("workspace_id", "=", workspaceId).where("id", "=", annotationId);
  const seen = projectId === null ? all : all.where("project_id", "=", projectId);
  return (await seen.executeTakeFirst()).numDeletedRows === 1n;
}

function toAnnotation(row: { id: string; project_id: string; day: string; note: string; created_at: number }) {
  return { id: row.id, projectId: row.project_id, day: row.day, note: row.note, createdAtMs: row.created_at };
}
