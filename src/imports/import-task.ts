/** Importing a file that somebody has sent, as a task. */
import { access } from "node:fs/promises";
import { IMPORT_LIMITS } from "../contract/import-limits.ts";
import { TaskFailed, type TaskKind, type TaskStep } from "../control/run-tasks.ts";
import type { ControlStore, Reader, Tx } from "../control/store.ts";
import type { Task } from "../control/tasks.ts";
import type { SendJson } from "../ingest/send-events.ts";
import type { Clock } from "../lib/clock.ts";
import type { WriteWallets } from "../profiles/write-wallets.ts";
import { openDays } from "./days/days-file.ts";
import { importDays } from "./days/import-days.ts";
import { DAYS_SOURCE } from "./days/plausible.ts";
import type { DaysWarehouse } from "./days/warehouse.ts";
import type { Door } from "./door.ts";
import { NO_MAPPING } from "./from/generic.ts";
import { ImportError } from "./import-error.ts";
import { importFile } from "./import-file.ts";
import { findImport } from "./imports-table.ts";
import { createInnerDoor } from "./inner-door.ts";
import { createRest } from "./rest.ts";
import { untilUp } from "./until-up.ts";
import type { UploadFiles } from "./upload-files.ts";
import { type RowsSource, readingOf, type UploadSource, WALLETS_SOURCE } from "./upload-sources.ts";
import { findUploadOfTask, IMPORT_TASK, recordImport, type Upload } from "./uploads.ts";
import { createWalletDoor } from "./wallet-door.ts";

interface ImportTaskDeps {
  store: ControlStore;
  clock: Clock;
  sendJson: SendJson;
  writeWallets: WriteWallets;
  days: DaysWarehouse;
  files: UploadFiles;
}

/** Progress is in bytes of the file; the cursor itself is the import's (imports-table.ts). */
export function importTask(deps: ImportTaskDeps): TaskKind {
  const { store, files } = deps;
  return {
    kind: IMPORT_TASK,
    async run(task, step) {
      const upload = await findUploadOfTask(store.read, task.workspaceId, task.id);
      if (upload?.source == null || upload.mapping === null) throw new TaskFailed("The file was removed");
      if (!(await isImported(store.read, upload, task))) {
        const sent = { upload, source: upload.source, path: files.pathOf(upload) };
        await importUpload(deps, task, sent, step);
      }
    },
    // Only now: whoever stops an import at its end, or is killed there, has the file to start it again.
    async clear(task) {
      const upload = await findUploadOfTask(store.read, task.workspaceId, task.id);
      if (upload !== undefined) await files.removeFile(upload.id);
    },
  };
}

/** The process that did the task may have ended after the last row and before it could say so. */
async function isImported(db: Reader, { importId }: Upload, { workspaceId }: Task): Promise<boolean> {
  return importId !== null && (await findImport(db, workspaceId, importId))?.state === "done";
}

interface Sent {
  readonly upload: Upload;
  readonly path: string;
}

type SentAs<Source> = Sent & { readonly source: Source };

async function importUpload(
  deps: ImportTaskDeps,
  task: Task,
  { upload, path, source }: SentAs<UploadSource>,
  step: TaskStep,
): Promise<void> {
  await access(path).catch(() => {
    throw new TaskFailed("The file is not on this machine. Nodes need a common SEXTANT_IMPORT_DIR. Send it again.");
  });
  try {
    if (source === DAYS_SOURCE) await runDays(deps, task, { upload, path }, step);
    else await runRows(deps, task, { upload, path, source }, step);
  } catch (cause) {
    if (cause instanceof ImportError) throw new TaskFailed(cause.message, { cause });
    throw cause;
  }
}

/** From the beginning where the warehouse went away: it removes what it has written before. */
async function runDays(
  { store, clock, days: warehouse }: ImportTaskDeps,
  task: Task,
  { upload, path }: Sent,
  { signal, save }: TaskStep,
): Promise<void> {
  const { workspaceId, projectId } = task;
  const onClaim = recordStart(task, upload);
  // Rejects where it was stopped, of which the signal hears only when the lease is renewed.
  const onWritten = (sums: number) => save({ done: upload.fileBytes, total: upload.fileBytes, cursor: String(sums) });
  const given = { store, clock, warehouse, signal, open: openDays, onClaim, onWritten };
  await untilUp(signal, () => importDays(workspaceId, { projectId, path, upload }, given));
}

async function runRows(
  deps: ImportTaskDeps,
  task: Task,
  { upload, path, source }: SentAs<RowsSource>,
  { signal, save }: TaskStep,
): Promise<void> {
  const { store, clock, files } = deps;
  const { workspaceId, projectId } = task;
  const reading = readingOf(source, upload.mapping ?? NO_MAPPING);
  // A packed file of some megabytes may have terabytes of them, and a full disk stops everybody.
  const hasRefusedRoom = async (size: number, added: number) =>
    size + added <= IMPORT_LIMITS.refusedBytes && (await files.hasRoom(added));
  const refusedPath = files.refusedPathOf(upload.id);
  const file = { projectId, path, reading, uploadId: upload.id, refusedPath, hasRefusedRoom };
  await importFile(workspaceId, file, {
    ...{ store, clock, signal },
    door: source === WALLETS_SOURCE ? openWallets(deps, projectId) : openEvents(deps, workspaceId, projectId),
    onClaim: recordStart(task, upload),
    onProgress: () => undefined,
    onSaved: ({ bytes, totalBytes, events }) => save({ done: bytes, total: totalBytes, cursor: String(events) }),
  });
}

/** Before anything is changed: what an upload that is gone has imported could not be seen or deleted. */
function recordStart(task: Task, upload: Upload) {
  return async (tx: Tx, importId: string) => {
    if (!(await recordImport(tx, task, upload.id, importId)))
      throw new ImportError("the file was deleted, or its import was stopped");
  };
}

function openEvents({ sendJson }: ImportTaskDeps, workspaceId: string, projectId: string): Door {
  return createInnerDoor(sendJson, workspaceId, projectId);
}

/** As many wallets as fit beside the work of others. */
function openWallets({ writeWallets, clock }: ImportTaskDeps, projectId: string): Door {
  const door = createWalletDoor(projectId, writeWallets, clock.nowMs());
  const rest = createRest();
  return { ...door, send: (texts, signal) => rest(signal, () => untilUp(signal, () => door.send(texts, signal))) };
}
