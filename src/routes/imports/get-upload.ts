import { ApiError } from "../../contract/errors.ts";
import type { Reader } from "../../control/store.ts";
import { findUpload, type Upload } from "../../imports/uploads.ts";

/** Another workspace's is one that does not exist. */
export async function getUpload(db: Reader, workspaceId: string, importId: string): Promise<Upload> {
  const upload = await findUpload(db, workspaceId, importId);
  if (upload === undefined) throw new ApiError("NOT_FOUND", "There is no such import", { param: "params.importId" });
  return upload;
}

export function viewUpload(upload: Upload) {
  const { id, projectId, fileName, fileBytes, receivedBytes, state, source, doneBytes } = upload;
  const { rows, events, refused, message, mapping, createdAtMs, endedAtMs } = upload;
  return {
    ...{ id, projectId, fileName, fileBytes, receivedBytes, state, source, doneBytes },
    ...{ rows, events, refused, message },
    columns: Object.fromEntries(mapping?.columns ?? []),
    values: Object.fromEntries(mapping?.values ?? []),
    createdAt: new Date(createdAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
  };
}
