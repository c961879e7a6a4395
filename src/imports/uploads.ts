/**
 * Files that people have sent, and what becomes of them:
 *
 *   (create) --> receiving --last part--> ready --start--> a task: waiting, running --> done
 *                                           ^                        '--> failed, cancelled
 *                                           '-------- start again, at its cursor -----'
 *
 * A row comes before its file and goes before it: a job removes files that have no row.
 */
import type { ImportState } from "../contract/import-limits.ts";
import type { Reader, Tx } from "../control/store.ts";
import { createTask } from "../control/tasks.ts";
import { isId, newId } from "../lib/ids.ts";
import type { Mapping } from "./from/generic.ts";
import type { DaySpan } from "./import-lease.ts";
import type { UploadSource } from "./upload-sources.ts";

export const IMPORT_TASK = "import";

const IN_WORK = ["waiting", "running"] as const;

export interface Upload {
  readonly id: string;
  readonly projectId: string;
  readonly fileName: string;
  readonly fileBytes: number;
  readonly receivedBytes: number;
  readonly source: UploadSource | null;
  readonly mapping: Mapping | null;
  readonly taskId: string | null;
  /** Of its last start. */
  readonly importId: string | null;
  /** Of days that a product counted. */
  readonly days: DaySpan | null;
  readonly state: ImportState;
  readonly doneBytes: number;
  readonly message: string | null;
  readonly rows: number;
  readonly events: number;
  readonly refused: number;
  readonly refusedBytes: number;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
}

function select(db: Reader, workspaceId: string) {
  return db
    .selectFrom("uploads as u")
    .leftJoin("tasks as t", "t.id", "u.task_id")
    .leftJoin("imports as i", "i.id", "u.import_id")
    .select(["u.id", "u.project_id", "u.file_name", "u.file_bytes", "u.received_bytes", "u.source", "u.mapping"])
    .select(["u.task_id", "u.import_id", "u.created_at", "t.state", "t.done", "t.message", "t.ended_at"])
    .select(["i.rows_done", "i.events", "i.refused", "i.refused_bytes", "i.first_day", "i.last_day"])
    .where("u.workspace_id", "=", workspaceId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirstOrThrow"]>>;

function toUpload(row: Row): Upload {
  const isWhole = row.received_bytes === row.file_bytes;
  const { first_day: firstDay, last_day: lastDay } = row;
  return {
    id: row.id,
    projectId: row.project_id,
    fileName: row.file_name,
    fileBytes: row.file_bytes,
    receivedBytes: row.received_bytes,
    source: row.source as UploadSource | null,
    mapping: row.mapping === null ? null : parseMapping(row.mapping),
    taskId: row.task_id,
    importId: row.import_id,
    days: firstDay === null || lastDay === null ? null : { firstDay, lastDay },
    state: row.state ?? (isWhole ? "ready" : "receiving"),
    doneBytes: row.state === "done" ? row.file_bytes : Math.min(row.done ?? 0, row.file_bytes),
    message: row.message,
    rows: row.rows_done ?? 0,
    events: row.events ?? 0,
    refused: row.refused ?? 0,
    refusedBytes: row.refused_bytes ?? 0,
    createdAtMs: row.created_at,
    endedAtMs: row.ended_at,
  };
}

export async function createUpload(
  tx: Tx,
  workspaceId: string,
  made: { projectId: string; fileName: string; fileBytes: number },
  nowMs: number,
): Promise<Upload> {
  const id = newId("upl");
  await tx
    .insertInto("uploads")
    .values({
      ...{ id, workspace_id: workspaceId, project_id: made.projectId, file_name: made.fileName },
      ...{ file_bytes: made.fileBytes, received_bytes: 0, created_at: nowMs, changed_at: nowMs },
    })
    .execute();
  return toUpload(await select(tx, workspaceId).where("u.id", "=", id).executeTakeFirstOrThrow());
}

export async function findUpload(db: Reader, workspaceId: string, uploadId: string): Promise<Upload | undefined> {
  if (!isId("upl", uploadId)) return undefined;
  const row = await select(db, workspaceId).where("u.id", "=", uploadId).executeTakeFirst();
  return row && toUpload(row);
}

export async function findUploadOfTask(db: Reader, workspaceId: string, taskId: string): Promise<Upload | undefined> {
  const row = await select(db, workspaceId).where("u.task_id", "=", taskId).executeTakeFirst();
  return row && toUpload(row);
}

/** Newest first. */
export async function listUploads(
  db: Reader,
  workspaceId: string,
  { projectId, limit }: { projectId: string | undefined; limit: number },
): Promise<Upload[]> {
  const all = select(db, workspaceId).orderBy("u.created_at", "desc").orderBy("u.id").limit(limit);
  const rows = await (projectId === undefined ? all : all.where("u.project_id", "=", projectId)).execute();
  return rows.map(toUpload);
}

/** What the files of a workspace take, or will take when they are here. */
export async function measureUploads(db: Reader, workspaceId: string): Promise<{ files: number; bytes: number }> {
  const row = await db
    .selectFrom("uploads as u")
    .leftJoin("tasks as t", "t.id", "u.task_id")
    .select((e) => [e.fn.countAll<number>().as("files"), e.fn.sum<number | null>("u.file_bytes").as("bytes")])
    .where("u.workspace_id", "=", workspaceId)
    .where((e) => e.or([e("t.state", "is", null), e("t.state", "!=", "done")]))
    .executeTakeFirstOrThrow();
  return { files: Number(row.files), bytes: Number(row.bytes ?? 0) };
}

/** False if another part came first. */
export async function recordPart(
  tx: Tx,
  workspaceId: string,
  uploadId: string,
  { from, to, nowMs }: { from: number; to: number; nowMs: number },
): Promise<boolean> {
  const done = await tx
    .updateTable("uploads")
    .set({ received_bytes: to, changed_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", uploadId)
    .where("received_bytes", "=", from)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

/** The caller has found it ready, or ended before its end. */
export async function startUpload(
  tx: Tx,
  workspaceId: string,
  { id, projectId }: Pick<Upload, "id" | "projectId">,
  reading: { source: UploadSource; mapping: Mapping },
  nowMs: number,
): Promise<void> {
  const taskId = await createTask(tx, workspaceId, { projectId, kind: IMPORT_TASK }, nowMs);
  const mapping = JSON.stringify([[...reading.mapping.columns], [...reading.mapping.values]]);
  await tx
    .updateTable("uploads")
    .set({ source: reading.source, mapping, task_id: taskId, import_id: null, changed_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .execute();
}

/** False if the upload was deleted meanwhile, or this task was stopped. */
export async function recordImport(
  tx: Tx,
  task: { readonly id: string; readonly workspaceId: string },
  uploadId: string,
  importId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("uploads")
    .set({ import_id: importId })
    .where("workspace_id", "=", task.workspaceId)
    .where("id", "=", uploadId)
    .where("task_id", "=", task.id)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("tasks as t").select("t.id").where("t.id", "=", task.id).where("t.state", "in", IN_WORK)),
    )
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** False if it has begun another import since it was read: what that writes would be nobody's. */
export async function deleteUpload(
  tx: Tx,
  workspaceId: string,
  { id, importId }: Pick<Upload, "id" | "importId">,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("uploads")
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .where("import_id", importId === null ? "is" : "=", importId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

function parseMapping(text: string): Mapping {
  const [columns, values] = JSON.parse(text) as [[string, string][], [string, string][]];
  return { columns: new Map(columns), values: new Map(values) };
}
