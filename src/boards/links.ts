/** The public links of boards. */

import { ApiError } from "../contract/errors.ts";
import { LINK_LIMITS } from "../contract/link-limits.ts";
import { lockBoardRow } from "../control/lock-rows.ts";
import type { Reader, Tx } from "../control/store.ts";
import { isId, newId } from "../lib/ids.ts";
import type { Board } from "./boards.ts";
import type { LinkKeys } from "./link-keys.ts";

/** What a link limits its board to. */
export interface LinkLock {
  /** Conditions of reports; null: none. */
  readonly filters: readonly unknown[] | null;
  readonly segmentId: string | null;
  readonly dateFrom: string | null;
  readonly dateTo: string | null;
  readonly days: number | null;
}

export interface LinkFields extends LinkLock {
  readonly title: string | null;
  readonly passwordHash: string | null;
  readonly frameAncestors: readonly string[];
  readonly expiresAtMs: number | null;
}

export interface BoardLink extends LinkFields {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly boardId: string;
  readonly sealed: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
  readonly lastUsedAtMs: number | null;
  readonly uses: number;
}

/** A link without limits: what `isPublic` asks for. */
export const PLAIN_LINK: LinkFields = {
  title: null,
  passwordHash: null,
  filters: null,
  segmentId: null,
  dateFrom: null,
  dateTo: null,
  days: null,
  frameAncestors: [],
  expiresAtMs: null,
};

const COLUMNS = [
  "id",
  "workspace_id",
  "project_id",
  "board_id",
  "title",
  "sealed",
  "password_hash",
  "filters",
  "segment_id",
  "date_from",
  "date_to",
  "days",
  "frame_ancestors",
  "expires_at",
  "created_at",
  "updated_at",
  "last_used_at",
  "uses",
] as const;

/** Oldest first. */
export async function listLinks(db: Reader, workspaceId: string, boardId: string): Promise<BoardLink[]> {
  const rows = await db
    .selectFrom("board_links")
    .select(COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("board_id", "=", boardId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toLink);
}

export async function getLink(db: Reader, workspaceId: string, boardId: string, id: string): Promise<BoardLink> {
  const row = isId("lnk", id)
    ? await db
        .selectFrom("board_links")
        .select(COLUMNS)
        .where("workspace_id", "=", workspaceId)
        .where("board_id", "=", boardId)
        .where("id", "=", id)
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw new ApiError("NOT_FOUND", "There is no such link");
  return toLink(row);
}

/** Without a tenant, like findApiKeyByHash: it determines the tenant of a request. */
export async function findLinkByHash(db: Reader, hash: string, nowMs: number): Promise<BoardLink | undefined> {
  const row = await db.selectFrom("board_links").select(COLUMNS).where("hash", "=", hash).executeTakeFirst();
  if (row === undefined || isExpired({ expiresAtMs: row.expires_at }, nowMs)) return undefined;
  return toLink(row);
}

export function isExpired({ expiresAtMs }: Pick<LinkFields, "expiresAtMs">, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs;
}

/** Links that have expired make room: nobody sees anything by them. */
export async function createLink(
  tx: Tx,
  workspaceId: string,
  board: Pick<Board, "id" | "projectId">,
  { keys, fields, userId }: { keys: LinkKeys; fields: LinkFields; userId: string | null },
  nowMs: number,
): Promise<string> {
  await lockBoardRow(tx, workspaceId, board.id);
  const links = await listLinks(tx, workspaceId, board.id);
  const working = links.filter((link) => !isExpired(link, nowMs));
  if (working.length >= LINK_LIMITS.perBoard)
    throw new ApiError("BAD_REQUEST", `A board has at most ${LINK_LIMITS.perBoard} links: revoke some`);
  if (links.length >= LINK_LIMITS.perBoard)
    for (const link of links) if (isExpired(link, nowMs)) await revokeLink(tx, workspaceId, link.id);
  const id = newId("lnk");
  await tx
    .insertInto("board_links")
    .values({
      id,
      workspace_id: workspaceId,
      project_id: board.projectId,
      board_id: board.id,
      ...keys.make(id),
      ...toColumns(fields),
      created_by: userId,
      created_at: nowMs,
      updated_at: null,
      last_used_at: null,
      uses: 0,
    })
    .execute();
  return id;
}

export async function changeLink(
  tx: Tx,
  workspaceId: string,
  id: string,
  fields: LinkFields,
  nowMs: number,
): Promise<void> {
  await tx
    .updateTable("board_links")
    .set({ ...toColumns(fields), updated_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .execute();
}

/** The row goes: a link that was revoked and one that never was are answered alike. */
export async function revokeLink(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.deleteFrom("board_links").where("workspace_id", "=", workspaceId).where("id", "=", id).execute();
}

/** Makes a link if none works, or revokes all. Returns the ids of those that were made or revoked. */
export async function publishBoard(
  tx: Tx,
  workspaceId: string,
  board: Pick<Board, "id" | "projectId">,
  { isPublic, keys, userId }: { isPublic: boolean; keys: LinkKeys; userId: string | null },
  nowMs: number,
): Promise<readonly string[]> {
  const links = await listLinks(tx, workspaceId, board.id);
  if (!isPublic) {
    for (const { id } of links) await revokeLink(tx, workspaceId, id);
    return links.map(({ id }) => id);
  }
  if (links.some((link) => !isExpired(link, nowMs))) return [];
  return [await createLink(tx, workspaceId, board, { keys, fields: PLAIN_LINK, userId }, nowMs)];
}

/** `uses` more than there were. */
export async function recordUses(
  tx: Tx,
  workspaceId: string,
  id: string,
  { uses, lastUsedAtMs }: Pick<BoardLink, "uses"> & { lastUsedAtMs: number },
): Promise<void> {
  await tx
    .updateTable("board_links")
    .set((is) => ({ last_used_at: lastUsedAtMs, uses: is("uses", "+", uses) }))
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .execute();
}

/** The links that are limited to a segment: without it they would show nothing. */
export async function findLinksOfSegment(
  db: Reader,
  workspaceId: string,
  segmentId: string,
): Promise<{ id: string; title: string }[]> {
  const rows = await db
    .selectFrom("board_links")
    .innerJoin("boards", "boards.id", "board_links.board_id")
    .select(["board_links.id", "board_links.title", "boards.title as board"])
    .where("board_links.workspace_id", "=", workspaceId)
    .where("board_links.segment_id", "=", segmentId)
    .orderBy("board_links.created_at")
    .orderBy("board_links.id")
    .execute();
  return rows.map(({ id, title, board }) => ({ id, title: `${title ?? "Public link"} of ${board}` }));
}

function toColumns(fields: LinkFields) {
  return {
    title: fields.title,
    password_hash: fields.passwordHash,
    filters: fields.filters === null ? null : JSON.stringify(fields.filters),
    segment_id: fields.segmentId,
    date_from: fields.dateFrom,
    date_to: fields.dateTo,
    days: fields.days,
    frame_ancestors: JSON.stringify(fields.frameAncestors),
    expires_at: fields.expiresAtMs,
  };
}

interface Row extends ReturnType<typeof toColumns> {
  id: string;
  workspace_id: string;
  project_id: string;
  board_id: string;
  sealed: string;
  created_at: number;
  updated_at: number | null;
  last_used_at: number | null;
  uses: number;
}

function toLink(row: Row): BoardLink {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    projectId: row.project_id,
    boardId: row.board_id,
    title: row.title,
    sealed: row.sealed,
    passwordHash: row.password_hash,
    filters: row.filters === null ? null : (JSON.parse(row.filters) as unknown[]),
    segmentId: row.segment_id,
    dateFrom: row.date_from,
    dateTo: row.date_to,
    days: row.days,
    frameAncestors: JSON.parse(row.frame_ancestors) as string[],
    expiresAtMs: row.expires_at,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    lastUsedAtMs: row.last_used_at,
    uses: Number(row.uses),
  };
}
