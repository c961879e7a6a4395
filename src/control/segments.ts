/** Filters that a project keeps under a title. */
import { ApiError } from "../contract/errors.ts";
import { SEGMENT_LIMITS, type SegmentFilter } from "../contract/segments.ts";
import { isId, newId } from "../lib/ids.ts";
import { lockProject } from "./lock-rows.ts";
import { type Page, type Paging, toPage, windowOf } from "./page.ts";
import { type Author, authorOf, countItems, ifSeen, type Owner } from "./project-items.ts";
import type { Reader, Tx } from "./store.ts";

export interface Segment {
  id: string;
  projectId: string;
  title: string;
  filters: readonly SegmentFilter[];
  createdBy: Author;
  createdAtMs: number;
  updatedAtMs: number;
}

/** Newest first. */
export async function listSegments(
  db: Reader,
  workspaceId: string,
  projectIds: readonly string[],
  paging: Paging,
): Promise<Page<Segment>> {
  if (projectIds.length === 0) return toPage(paging, [], 0);
  const { limit, offset } = windowOf(paging);
  const rows = await select(db, workspaceId)
    .where("segments.project_id", "in", projectIds)
    .orderBy("segments.created_at", "desc")
    .orderBy("segments.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return toPage(paging, rows.map(toSegment), await countItems(db, "segments", workspaceId, projectIds));
}

/** Undefined if the key sees no such segment. */
export async function findSegment(db: Reader, owner: Owner, id: string): Promise<Segment | undefined> {
  if (!isId("seg", id)) return undefined;
  const row = await select(db, owner.workspaceId).where("segments.id", "=", id).executeTakeFirst();
  const seen = ifSeen(owner, row);
  return seen && toSegment(seen);
}

/**
 * The filters of a segment for a question about some projects. One of another project does not exist, also within the
 * workspace.
 */
export function createFindSegment(db: Reader) {
  return async (
    { workspaceId, projects }: { readonly workspaceId: string; readonly projects: readonly { readonly id: string }[] },
    id: string,
  ): Promise<readonly SegmentFilter[]> => {
    const found = await findSegment(db, { workspaceId, projectId: null }, id);
    if (found !== undefined && projects.some((project) => project.id === found.projectId)) return found.filters;
    throw new ApiError("NOT_FOUND", "There is no such segment", { param: "query.segment" });
  };
}

/** The titles of those that a project has. */
export function createFindSegmentTitles(db: Reader) {
  return async (workspaceId: string, projectId: string, ids: readonly string[]): Promise<Map<string, string>> => {
    const rows = await db
      .selectFrom("segments")
      .select(["id", "title"])
      .where("workspace_id", "=", workspaceId)
      .where("project_id", "=", projectId)
      .where("id", "in", ids)
      .execute();
    return new Map(rows.map(({ id, title }) => [id, title]));
  };
}

export async function createSegment(
  tx: Tx,
  workspaceId: string,
  wanted: { projectId: string; title: string; filters: readonly SegmentFilter[]; userId: string | null },
  nowMs: number,
): Promise<string> {
  const { perProject } = SEGMENT_LIMITS;
  await lockProject(tx, workspaceId, wanted.projectId);
  if ((await countItems(tx, "segments", workspaceId, [wanted.projectId])) >= perProject)
    throw new ApiError("BAD_REQUEST", `A project has at most ${perProject} segments: delete some`);
  const id = newId("seg");
  await tx
    .insertInto("segments")
    .values({
      id,
      workspace_id: workspaceId,
      project_id: wanted.projectId,
      title: wanted.title,
      filters: JSON.stringify(wanted.filters),
      created_by: wanted.userId,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .execute();
  return id;
}

export async function changeSegment(
  tx: Tx,
  workspaceId: string,
  id: string,
  { title, filters }: { title?: string | undefined; filters?: readonly SegmentFilter[] | undefined },
  nowMs: number,
): Promise<void> {
  await tx
    .updateTable("segments")
    .set({
      ...(title === undefined ? {} : { title }),
      ...(filters === undefined ? {} : { filters: JSON.stringify(filters) }),
      updated_at: nowMs,
    })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .execute();
}

export async function deleteSegment(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.deleteFrom("segments").where("workspace_id", "=", workspaceId).where("id", "=", id).execute();
}

function select(db: Reader, workspaceId: string) {
  return db
    .selectFrom("segments")
    .leftJoin("users", "users.id", "segments.created_by")
    .select([
      "segments.id",
      "segments.project_id",
      "segments.title",
      "segments.filters",
      "segments.created_by",
      "segments.created_at",
      "segments.updated_at",
      "users.name as user_name",
    ])
    .where("segments.workspace_id", "=", workspaceId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirstOrThrow"]>>;

function toSegment(row: Row): Segment {
  return {
    id: row.id,
    projectId: row.project_id,
    title: row.title,
    filters: JSON.parse(row.filters) as SegmentFilter[],
    createdBy: authorOf(row),
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}
