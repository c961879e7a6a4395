/** Importing a file that somebody has sent, as a task. */
import { access } from "node:fs/promises";
import { TaskFailed, type TaskKind } from "../control/run-tasks.ts";
import type { ControlStore } from "../control/store.ts";
import type { SendJson } from "../ingest/send-events.ts";
import type { Clock } from "../lib/clock.ts";
import { ImportError } from "./import-error.ts";
import { importFile } from "./import-file.ts";
import { createInnerDoor } from "./inner-door.ts";
import { readingEvents } from "./reading.ts";
import type { UploadFiles } from "./upload-files.ts";
import { findUploadOfTask, IMPORT_TASK, recordImport } from "./uploads.ts";

interface ImportTaskDeps {
  store: ControlStore;
  clock: Clock;
  sendJson: SendJson;
  files: UploadFiles;
}

/** Progress is in bytes of the file; the cursor itself is the import's (imports-table.ts). */
export function importTask({ store, clock, sendJson, files }: ImportTaskDeps): TaskKind {
  return {
    kind: IMPORT_TASK,
    async run({ id, workspaceId, projectId }, { signal, save }) {
      const upload = await findUploadOfTask(store.read, workspaceId, id);
      if (upload?.source == null || upload.mapping === null) throw new TaskFailed("The file was removed");
      const path = files.pathOf(upload);
      await access(path).catch(() => {
        throw new TaskFailed("The file is not on this machine. Nodes need a common SEXTANT_IMPORT_DIR. Send it again.");
      });
      const file = { projectId, path, reading: readingEvents(upload.source, upload.mapping), uploadId: upload.id };
      try {
        await importFile(
          workspaceId,
          { ...file, refusedPath: files.refusedPathOf(upload.id) },
          {
            ...{ store, clock, signal },
            door: createInnerDoor(sendJson, workspaceId, projectId),
            onStart: ({ importId }) => store.write((tx) => recordImport(tx, workspaceId, upload.id, importId)),
            onProgress: () => undefined,
            onSaved: ({ bytes, totalBytes, events }) =>
              save({ done: bytes, total: totalBytes, cursor: String(events) }),
          },
        );
      } catch (cause) {
        if (cause instanceof ImportError) throw new TaskFailed(cause.message, { cause });
        throw cause;
      }
      await files.removeFile(upload.id);
    },
  };
}
