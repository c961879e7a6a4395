/** How far each file is imported. One row for what a file holds and how it is read: a second start goes on there. */
import type { Selectable, Updateable } from "kysely";
import type { ControlSchema } from "../control/schema.ts";
import type { ControlStore, Reader, Tx } from "../control/store.ts";
import { isId, newId } from "../lib/ids.ts";
import { claimDays } from "./days/claim-days.ts";
import { DAYS_SOURCE } from "./days/plausible.ts";
import { type Claim, type DaySpan, type HeldImport, heldBy, type ImportLease } from "./import-lease.ts";

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
  readonly fileBytes: number;
  readonly state: ImportRow["state"];
  readonly cursor: Cursor;
  /** Why the file was refused. */
  readonly message: string | null;
  readonly uploadId: string | null;
  /** Of an import of days. */
  readonly days: DaySpan | null;
  readonly lease: ImportLease | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
}

export interface NewImport {
  readonly projectId: string;
  readonly source: string;
  readonly fileName: string;
  readonly fileBytes: number;
  readonly contentId: string;
  /** Of a file that was sent to the service. */
  readonly uploadId?: string | undefined;
  /** Of an import of days: nobody else imports one of them until it has ended. */
  readonly days?: DaySpan;
}

/**
 * A file whose import has not ended goes on; one that was imported before begins again, and its events are copies.
 * Resolves with the lease of another process that imports the file, or one of its days, now.
 */
export async function startImport(
  tx: Tx,
  workspaceId: string,
  made: NewImport,
  claim: Claim,
): Promise<Import | HeldImport> {
  const { nowMs, owner, untilMs } = claim;
  const holder = made.days && (await claimDays(tx, workspaceId, { ...made, days: made.days }, claim));
  if (holder !== undefined) return holder;
  const known = await tx
    .selectFrom("imports")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where("project_id", "=", made.projectId)
    .where("content_id", "=", made.contentId)
    .executeTakeFirst();
  const lease = { lease_owner: owner, lease_until: untilMs };
  const days = { first_day: made.days?.firstDay ?? null, last_day: made.days?.lastDay ?? null };
  const now = { state: "running", saved_at: nowMs, ended_at: null, message: null } as const;
  const upload = { upload_id: made.uploadId ?? null };
  const begin = { ...now, ...lease, ...days, ...upload, file_name: made.fileName };
  if (known === undefined) {
    const of = { id: newId("imp"), workspace_id: workspaceId, project_id: made.projectId };
    const file = { source: made.source, file_bytes: made.fileBytes, content_id: made.contentId };
    const row = { ...of, ...file, ...begin, ...toColumns(BEGIN), created_at: nowMs };
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

/** The file is no such file, or damaged. A later start goes on at its cursor. */
export async function failImport(
  store: ControlStore,
  importId: string,
  { owner, message, nowMs }: { owner: string; message: string; nowMs: number },
): Promise<void> {
  await changeImport(store, { importId, owner }, { state: "failed", message, ended_at: nowMs });
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

/** By the command, or of an upload. */
export async function findImport(db: Reader, workspaceId: string, importId: string): Promise<Import | undefined> {
  if (!isId("imp", importId)) return undefined;
  const row = await db
    .selectFrom("imports")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", importId)
    .executeTakeFirst();
  return row && toImport(row);
}

/** That of the days of an upload, also where the upload was started again and has not begun since. */
export async function findDaysOfUpload(db: Reader, workspaceId: string, uploadId: string): Promise<Import | undefined> {
  const row = await db
    .selectFrom("imports")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where("upload_id", "=", uploadId)
    .where("source", "=", DAYS_SOURCE)
    .executeTakeFirst();
  return row && toImport(row);
}

interface ListedImports {
  readonly projectId?: string | undefined;
  /** Those of files that were sent to the service are parts of their uploads. */
  readonly withoutUploads?: boolean;
  readonly limit: number;
}

/** Newest first. */
export async function listImports(db: Reader, workspaceId: string, asked: ListedImports): Promise<Import[]> {
  const { projectId, withoutUploads = false, limit } = asked;
  const rows = await db
    .selectFrom("imports")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .$if(projectId !== undefined, (all) => all.where("project_id", "=", projectId ?? ""))
    .$if(withoutUploads, (all) => all.where("upload_id", "is", null))
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toImport);
}

/** `stopped`: it has not ended, and nobody goes on with it now. */
export function shownState({ state, lease }: Import, nowMs: number): Import["state"] | "stopped" {
  return state === "running" && (lease === null || lease.untilMs <= nowMs) ? "stopped" : state;
}

function toColumns(cursor: Cursor) {
  const { rows, events, refused, refusedBytes, hasKeyless } = cursor;
  const keyless: 0 | 1 = hasKeyless ? 1 : 0;
  return { rows_done: rows, events, refused, refused_bytes: refusedBytes, has_keyless: keyless };
}

function toImport(row: ImportRow): Import {
  const { first_day: firstDay, last_day: lastDay, lease_owner: owner, lease_until: untilMs } = row;
  const counts = { rows: row.rows_done, events: row.events, refused: row.refused };
  return {
    id: row.id,
    projectId: row.project_id,
    source: row.source,
    fileName: row.file_name,
    fileBytes: row.file_bytes,
    state: row.state,
    cursor: { ...counts, refusedBytes: row.refused_bytes, hasKeyless: row.has_keyless === 1 },
    message: row.message,
    uploadId: row.upload_id,
    days: firstDay === null || lastDay === null ? null : { firstDay, lastDay },
    lease: owner === null || untilMs === null ? null : { owner, untilMs },
    createdAtMs: row.created_at,
    endedAtMs: row.ended_at,
  };
}
