import { ApiError } from "../../contract/errors.ts";
import type { Reader } from "../../control/store.ts";
import { findImport, type Import, shownState } from "../../imports/imports-table.ts";
import { findUpload, type Upload } from "../../imports/uploads.ts";

/** Another workspace's is one that does not exist. */
export async function getUpload(db: Reader, workspaceId: string, importId: string): Promise<Upload> {
  const upload = await findUpload(db, workspaceId, importId);
  if (upload === undefined) throw noImport();
  return upload;
}

/** One of the command: that of an upload is a part of it. */
export async function findCommandImport(db: Reader, workspaceId: string, importId: string) {
  const found = await findImport(db, workspaceId, importId);
  return found?.uploadId === null ? found : undefined;
}

export function noImport(): ApiError {
  return new ApiError("NOT_FOUND", "There is no such import", { param: "params.importId" });
}

export function viewUpload(upload: Upload) {
  const { id, projectId, fileName, fileBytes, receivedBytes, state, source, doneBytes } = upload;
  const { rows, events, refused, message, mapping, days } = upload;
  return {
    ...{ id, projectId, fileName, fileBytes, receivedBytes, state, source, doneBytes },
    ...{ rows, events, refused, message, isUpload: true, days },
    columns: Object.fromEntries(mapping?.columns ?? []),
    values: Object.fromEntries(mapping?.values ?? []),
    ...viewTimes(upload),
  };
}

export function viewImport(made: Import, nowMs: number) {
  const { id, projectId, fileName, fileBytes, source, message, days } = made;
  const { rows, events, refused } = made.cursor;
  const state = shownState(made, nowMs);
  return {
    ...{ id, projectId, fileName, fileBytes, receivedBytes: fileBytes, source, message },
    state: state === "stopped" ? ("cancelled" as const) : state,
    // How far it is in bytes is known by the command alone.
    doneBytes: state === "done" ? fileBytes : 0,
    ...{ rows, events, refused, isUpload: false, days },
    columns: {},
    values: {},
    ...viewTimes(made),
  };
}

function viewTimes({ createdAtMs, endedAtMs }: { createdAtMs: number; endedAtMs: number | null }) {
  return {
    createdAt: new Date(createdAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
  };
}
