/** The boards of a project. */
import { BOARD_LIMITS } from "../contract/boards.ts";
import { ApiError } from "../contract/errors.ts";
import { lockBoardRow, lockProject } from "../control/lock-rows.ts";
import { type Page, type Paging, toPage, windowOf } from "../control/page.ts";
import { countItems, ifSeen, type Owner } from "../control/project-items.ts";
import type { Reader, Tx } from "../control/store.ts";
import { isId, newId } from "../lib/ids.ts";

export interface Board {
  id: string;
  projectId: string;
  title: string;
  description: string | null;
  /** When the last of its public links (links.ts) expires; Infinity: never; null: it has none. */
  publicUntilMs: number | null;
  /** How many it has. */
  charts: number;
  createdAtMs: number;
  /** Null: never changed. */
  updatedAtMs: number | null;
}

export interface BoardFields {
  title: string;
  description: string | null;
}

/** Newest first. */
export async function listBoards(
  db: Reader,
  workspaceId: string,
  projectIds: readonly string[],
  paging: Paging,
): Promise<Page<Board>> {
  if (projectIds.length === 0) return toPage(paging, [], 0);
  const { limit, offset } = windowOf(paging);
  const rows = await select(db, workspaceId)
    .where("boards.project_id", "in", projectIds)
    .orderBy("boards.created_at", "desc")
    .orderBy("boards.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return toPage(paging, rows.map(toBoard), await countItems(db, "boards", workspaceId, projectIds));
}

/** Undefined if the key sees no such board. */
export async function findBoard(db: Reader, owner: Owner, id: string): Promise<Board | undefined> {
  if (!isId("brd", id)) return undefined;
  const row = await select(db, owner.workspaceId).where("boards.id", "=", id).executeTakeFirst();
  const seen = ifSeen(owner, row);
  return seen && toBoard(seen);
}

/** `param` is where the request names it, unless the path does. */
export async function getBoard(db: Reader, owner: Owner, id: string, param?: string): Promise<Board> {
  const found = await findBoard(db, owner, id);
  if (found === undefined)
    throw new ApiError("NOT_FOUND", "There is no such board", param === undefined ? {} : { param });
  return found;
}

/** As `getBoard`, and other writers of the board wait: the number of its charts stays true. */
export async function lockBoard(tx: Tx, owner: Owner, id: string, param?: string): Promise<Board> {
  if (isId("brd", id)) await lockBoardRow(tx, owner.workspaceId, id);
  return getBoard(tx, owner, id, param);
}

export async function createBoard(
  tx: Tx,
  workspaceId: string,
  wanted: BoardFields & { projectId: string; userId: string | null },
  nowMs: number,
): Promise<string> {
  await lockProject(tx, workspaceId, wanted.projectId);
  if ((await countItems(tx, "boards", workspaceId, [wanted.projectId])) >= BOARD_LIMITS.perProject)
    throw new ApiError("BAD_REQUEST", `A project has at most ${BOARD_LIMITS.perProject} boards: delete some`);
  const id = newId("brd");
  await tx
    .insertInto("boards")
    .values({
      id,
      workspace_id: workspaceId,
      project_id: wanted.projectId,
      title: wanted.title,
      description: wanted.description,
      created_by: wanted.userId,
      created_at: nowMs,
      updated_at: null,
    })
    .execute();
  return id;
}

export async function changeBoard(
  tx: Tx,
  workspaceId: string,
  id: string,
  { title, description }: Partial<BoardFields>,
  nowMs: number,
): Promise<void> {
  await tx
    .updateTable("boards")
    .set({
      updated_at: nowMs,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .execute();
}

/** A locked one. With its charts, if that is wanted; a board that has some is not deleted otherwise. */
export async function deleteBoard(tx: Tx, workspaceId: string, board: Board, withCharts: boolean): Promise<void> {
  const { id, charts } = board;
  if (charts > 0 && !withCharts)
    throw new ApiError(
      "BAD_REQUEST",
      `The board has ${charts === 1 ? "1 chart" : `${charts} charts`}: delete or move ${charts === 1 ? "it" : "them"} ` +
        "first, or send with_charts=true",
    );
  if (withCharts)
    await tx.deleteFrom("charts").where("workspace_id", "=", workspaceId).where("board_id", "=", id).execute();
  await tx.deleteFrom("board_links").where("workspace_id", "=", workspaceId).where("board_id", "=", id).execute();
  await tx.deleteFrom("boards").where("workspace_id", "=", workspaceId).where("id", "=", id).execute();
}

/** Above all times of links, and what both stores take as a number. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;

function select(db: Reader, workspaceId: string) {
  return db
    .selectFrom("boards")
    .select([
      "boards.id",
      "boards.project_id",
      "boards.title",
      "boards.description",
      "boards.created_at",
      "boards.updated_at",
    ])
    .select((is) =>
      is
        .selectFrom("board_links")
        .select((link) => link.fn.max(link.fn.coalesce("expires_at", link.val(NEVER_MS))).as("until"))
        .whereRef("board_links.board_id", "=", "boards.id")
        .as("public_until"),
    )
    .select((is) =>
      is
        .selectFrom("charts")
        .select((one) => one.fn.countAll<number | string>().as("n"))
        .whereRef("charts.board_id", "=", "boards.id")
        .as("charts"),
    )
    .where("boards.workspace_id", "=", workspaceId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirstOrThrow"]>>;

function toBoard(row: Row): Board {
  return {
    id: row.id,
    projectId: row.project_id,
    title: row.title,
    description: row.description,
    publicUntilMs: toUntil(row.public_until),
    charts: Number(row.charts ?? 0),
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}

function toUntil(until: number | string | null): number | null {
  if (until === null) return null;
  return Number(until) === NEVER_MS ? Number.POSITIVE_INFINITY : Number(until);
}

export function viewBoard(board: Board, nowMs: number) {
  const { id, projectId, title, description, publicUntilMs, charts, createdAtMs, updatedAtMs } = board;
  return {
    id,
    project_id: projectId,
    title,
    description,
    enabled: publicUntilMs !== null && publicUntilMs > nowMs,
    charts,
    created_at: new Date(createdAtMs).toISOString(),
    updated_at: updatedAtMs === null ? null : new Date(updatedAtMs).toISOString(),
  };
}
