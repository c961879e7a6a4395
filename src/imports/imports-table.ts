/** How far each file is imported. One row for what a file holds and how it is read: a second start goes on there. */
import type { Selectable, Updateable } from "kysely";
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

/** Who imports a file now, and until when nobody else begins. */
export interface ImportLease {
  readonly owner: string;
  readonly untilMs: number;
}

export interface Claim extends ImportLease {
  readonly nowMs: number;
  /** A holder that is known to be dead. */
  readonly instead?: string | undefined;
}

/**
 * A file whose import has not ended goes on; one that was imported before begins again, and its events are copies.
 * Resolves with the lease of another process that imports the file now.
 */
export async function startImport(
  tx: Tx,
  workspaceId: string,
  made: NewImport,
  claim: Claim,
): Promise<Import | ImportLease> {
  const { nowMs, owner, untilMs } = claim;
  const known = await tx
    .selectFrom("imports")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where("project_id", "=", made.projectId)
    .where("content_id", "=", made.contentId)
    .executeTakeFirst();
  const lease = { lease_owner: owner, lease_until: untilMs };
  const begin = { state: "running", file_name: made.fileName, saved_at: nowMs, ended_at: null, ...lease } as const;
  if (known === undefined) {
    const of = { id: newId("imp"), workspace_id: workspaceId, project_id: made.projectId };
    const file = { source: made.source, file_bytes: made.fileBytes, content_id: made.contentId };
    const days = { first_day: null, last_day: null };
    const row = { ...of, ...file, ...begin, ...toColumns(BEGIN), ...days, created_at: nowMs };
    await tx.insertInto("imports").values(row).execute();
    return toImport(row);
  }
  const held = heldBy(known, claim);
  if (held !== undefined) return held;
  const change = known.state === "done" ? { ...begin, ...toColumns(BEGIN) } : begin;
  await tx.updateTable("imports").set(change).where("id", "=", known.id).execute();
  return toImport({ ...known, ...change });
}

type ImportRow = Selectable<ControlSchema["imports"]>;

/** Undefined: nobody imports it. A time this far in the future was written before a clock was set back. */
function heldBy({ lease_owner, lease_until }: ImportRow, claim: Claim): ImportLease | undefined {
  if (lease_owner === null || lease_until === null || lease_owner === claim.instead) return undefined;
  const longestMs = 2 * (claim.untilMs - claim.nowMs);
  if (lease_until <= claim.nowMs || lease_until > claim.nowMs + longestMs) return undefined;
  return { owner: lease_owner, untilMs: lease_until };
}

/** False if the import is gone, because its project was deleted, or is another process's now. */
export async function saveImport(
  store: ControlStore,
  importId: string,
  cursor: Cursor,
  { nowMs, owner, untilMs, isEnd }: Claim & { isEnd: boolean },
): Promise<boolean> {
  const end = isEnd ? ({ state: "done", ended_at: nowMs, lease_owner: null, lease_until: null } as const) : {};
  return changeImport(
    store,
    { importId, owner },
    { ...toColumns(cursor), saved_at: nowMs, lease_until: untilMs, ...end },
  );
}

/** Extends the lease, or ends it. False if it is another's. */
export async function moveImportLease(
  store: ControlStore,
  importId: string,
  owner: string,
  untilMs: number | null,
): Promise<boolean> {
  const free = untilMs === null ? { lease_owner: null } : {};
  return changeImport(store, { importId, owner }, { lease_until: untilMs, ...free });
}

async function changeImport(
  store: ControlStore,
  { importId, owner }: { importId: string; owner: string },
  change: Updateable<ControlSchema["imports"]>,
): Promise<boolean> {
  const done = await store.write((tx) =>
    tx
      .updateTable("imports")
      .set(change)
      .where("id", "=", importId)
      .where("lease_owner", "=", owner)
      .executeTakeFirst(),
  );
  return done.numUpdatedRows === 1n;
}

/** Which days reports read of an import of days. Undefined: none. */
export async function setDays(
  store: ControlStore,
  importId: string,
  days: { firstDay: string; lastDay: string } | undefined,
): Promise<void> {
  const change = { first_day: days?.firstDay ?? null, last_day: days?.lastDay ?? null };
  await store.write((tx) => tx.updateTable("imports").set(change).where("id", "=", importId).execute());
}

export interface DayImport {
  readonly id: string;
  readonly contentId: string;
  readonly firstDay: string;
  readonly lastDay: string;
}

export async function listDayImports(db: Reader, workspaceId: string, projectId: string): Promise<DayImport[]> {
  const rows = await db
    .selectFrom("imports")
    .select(["id", "content_id", "first_day", "last_day"])
    .where("workspace_id", "=", workspaceId)
    .where("project_id", "=", projectId)
    .where("first_day", "is not", null)
    .execute();
  return rows.map(({ id, content_id, first_day, last_day }) => ({
    id,
    contentId: content_id,
    firstDay: first_day ?? "",
    lastDay: last_day ?? "",
  }));
}

export async function findImport(db: Reader, workspaceId: string, importId: string): Promise<Import | undefined> {
  const row = await db
    .selectFrom("imports")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", importId)
    .executeTakeFirst();
  return row && toImport(row);
}

export async function removeImport(tx: Tx, workspaceId: string, importId: string): Promise<void> {
  await tx.deleteFrom("imports").where("workspace_id", "=", workspaceId).where("id", "=", importId).execute();
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

function toImport(row: ImportRow): Import {
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
