/** How far each file is imported. One row for what a file holds and how it is read: a second start goes on there. */
import type { Selectable } from "kysely";
import type { ControlSchema } from "../control/schema.ts";
import type { ControlStore, Reader, Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";

/** Where the next start goes on. All rows up to here are sent, or in the file of refused rows. */
export interface Cursor {
  readonly rows: number;
  readonly events: number;
  readonly refused: number;
  readonly refusedBytes: number;
  readonly hasKeyless: boolean;
}

const BEGIN: Cursor = { rows: 0, events: 0, refused: 0, refusedBytes: 0, hasKeyless: false };

export interface Import {
  readonly id: string;
  readonly projectId: string;
  readonly source: string;
  readonly fileName: string;
  readonly state: "running" | "done";
  readonly cursor: Cursor;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
}

export interface NewImport {
  readonly projectId: string;
  readonly source: string;
  readonly fileName: string;
  readonly fileBytes: number;
  readonly contentId: string;
}

/** A file whose import has not ended goes on; one that was imported before begins again, and its events are copies. */
export async function startImport(tx: Tx, workspaceId: string, made: NewImport, nowMs: number): Promise<Import> {
  const known = await tx
    .selectFrom("imports")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where("project_id", "=", made.projectId)
    .where("content_id", "=", made.contentId)
    .executeTakeFirst();
  const begin = { state: "running", file_name: made.fileName, saved_at: nowMs, ended_at: null } as const;
  if (known === undefined) {
    const owner = { id: newId("imp"), workspace_id: workspaceId, project_id: made.projectId };
    const file = { source: made.source, file_bytes: made.fileBytes, content_id: made.contentId };
    const row = { ...owner, ...file, ...begin, ...toColumns(BEGIN), created_at: nowMs };
    await tx.insertInto("imports").values(row).execute();
    return toImport(row);
  }
  const change = known.state === "done" ? { ...begin, ...toColumns(BEGIN) } : begin;
  await tx.updateTable("imports").set(change).where("id", "=", known.id).execute();
  return toImport({ ...known, ...change });
}

/** False if the import is gone: its project was deleted. */
export async function saveImport(
  store: ControlStore,
  importId: string,
  cursor: Cursor,
  { nowMs, isEnd }: { nowMs: number; isEnd: boolean },
): Promise<boolean> {
  const end = isEnd ? ({ state: "done", ended_at: nowMs } as const) : {};
  const change = { ...toColumns(cursor), ...end, saved_at: nowMs };
  const done = await store.write((tx) =>
    tx.updateTable("imports").set(change).where("id", "=", importId).executeTakeFirst(),
  );
  return done.numUpdatedRows === 1n;
}

/** Newest first. */
export async function listImports(db: Reader, workspaceId: string, limit: number): Promise<Import[]> {
  const rows = await db
    .selectFrom("imports")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toImport);
}

function toColumns(cursor: Cursor) {
  const { rows, events, refused, refusedBytes, hasKeyless } = cursor;
  const keyless: 0 | 1 = hasKeyless ? 1 : 0;
  return { rows_done: rows, events, refused, refused_bytes: refusedBytes, has_keyless: keyless };
}

function toImport(row: Selectable<ControlSchema["imports"]>): Import {
  const { id, project_id, source, file_name, state } = row;
  const counts = { rows: row.rows_done, events: row.events, refused: row.refused };
  return {
    id,
    projectId: project_id,
    source,
    fileName: file_name,
    state,
    cursor: { ...counts, refusedBytes: row.refused_bytes, hasKeyless: row.has_keyless === 1 },
    createdAtMs: row.created_at,
    endedAtMs: row.ended_at,
  };
}
