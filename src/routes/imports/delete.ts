import { ApiError } from "../../contract/errors.ts";
import { ImportGoneAnswer, ImportParams } from "../../contract/imports.ts";
import type { Reader, Tx } from "../../control/store.ts";
import { cancelTask } from "../../control/tasks.ts";
import { type Checked, type Route, success, writeRoute } from "../../http/route.ts";
import { DAYS_SOURCE } from "../../imports/days/plausible.ts";
import type { DeleteImport, Deletion } from "../../imports/delete-import.ts";
import { ImportError } from "../../imports/import-error.ts";
import { findDaysOfUpload, findImport, type Import } from "../../imports/imports-table.ts";
import { deleteUpload, findUpload, type Upload } from "../../imports/uploads.ts";
import { findCommandImport, getUpload, noImport } from "./get-import.ts";

interface DeleteImportNeeds {
  deleteImport: DeleteImport;
}

/** Goes from the warehouse, which is no work of the control store, to the answer. */
interface Work {
  done?: Deletion;
}

export function deleteImportRoutes({ deleteImport }: DeleteImportNeeds): Route[] {
  return [
    writeRoute({
      tag: "Imports",
      access: "member",
      method: "DELETE",
      path: "/api/imports/:importId",
      operationId: "deleteImport",
      summary: "Delete an import",
      description:
        "Imported days are removed exactly, and reports no longer count them. Of a file that was sent, the import is stopped, and the file goes within a minute. Events stay: they are events like others.",
      params: ImportParams,
      check: (): Checked<Work> => ({ ok: true, value: {} }),
      answers: { 200: ImportGoneAnswer },
      async prepare({ db, key, parts: { params }, checked, signal }) {
        const importId = await findWarehoused(db, key.workspaceId, params.importId);
        if (importId === undefined) return;
        const done = await inUse(() => deleteImport(key.workspaceId, importId, signal));
        if (done === undefined) throw noImport();
        checked.done = done;
      },
      async handle({ key, parts: { params }, checked: { done }, nowMs }, tx) {
        if (done === undefined) return removeUpload(tx, key.workspaceId, params.importId, nowMs);
        await inUse(() => done.end(tx));
        // One that was started again since is not yet that of these days.
        const left = await findUpload(tx, key.workspaceId, params.importId);
        if (left !== undefined) await removeFound(tx, key.workspaceId, left, nowMs);
        const { fileName, source, sums } = done;
        return { ...success({ id: params.importId, sums }), audit: { details: { fileName, source, sums } } };
      },
    }),
  ];
}

/** What the warehouse has to forget first: an import of the command, or the days of a file that was sent. */
async function findWarehoused(db: Reader, workspaceId: string, importId: string): Promise<string | undefined> {
  const made = await findCommandImport(db, workspaceId, importId);
  if (made !== undefined) return made.id;
  return (await findDays(db, workspaceId, await getUpload(db, workspaceId, importId)))?.id;
}

/** Of its last start, or of one before. */
async function findDays(db: Reader, workspaceId: string, { id, importId }: Upload): Promise<Import | undefined> {
  const last = importId === null ? undefined : await findImport(db, workspaceId, importId);
  return last?.source === DAYS_SOURCE ? last : findDaysOfUpload(db, workspaceId, id);
}

async function removeUpload(tx: Tx, workspaceId: string, importId: string, nowMs: number) {
  const upload = await getUpload(tx, workspaceId, importId);
  const { id, fileName } = upload;
  // Its days were not asked for above, because it had not begun with them: without their upload nobody could delete them.
  if (await findDays(tx, workspaceId, upload)) throw runs();
  await removeFound(tx, workspaceId, upload, nowMs);
  return { ...success({ id, sums: 0 }), audit: { details: { fileName } } };
}

async function removeFound(tx: Tx, workspaceId: string, upload: Upload, nowMs: number): Promise<void> {
  if (upload.taskId !== null) await cancelTask(tx, workspaceId, upload.taskId, nowMs);
  if (!(await deleteUpload(tx, workspaceId, upload))) throw runs();
}

async function inUse<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof ImportError)) throw cause;
    throw runs(cause);
  }
}

function runs(cause?: unknown): ApiError {
  return new ApiError("CONFLICT", "The import runs: stop it, or wait for its end, and delete it then", { cause });
}
