/** Imports a file into a project, from where the last start of the same file was cut. */
import { basename } from "node:path";
import type { ControlStore, Tx } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { claimImport } from "./claim-import.ts";
import { readContentId } from "./content-id.ts";
import type { Door } from "./door.ts";
import { ImportError } from "./import-error.ts";
import type { Cursor } from "./imports-table.ts";
import type { Reading } from "./reading.ts";
import { type HasRefusedRoom, openRefusedFile } from "./refused-file.ts";
import { runImport } from "./run-import.ts";

export interface FileImport {
  readonly projectId: string;
  readonly path: string;
  readonly reading: Reading;
  readonly refusedPath: string;
  /** Of a file that somebody has sent: what its refused rows may take. */
  readonly hasRefusedRoom?: HasRefusedRoom;
  /** The upload whose file it is: its refused rows are in a file of its own, so it goes on with nobody else's cursor. */
  readonly uploadId?: string;
}

export interface ImportDeps {
  readonly store: ControlStore;
  readonly clock: Clock;
  readonly door: Door;
  readonly signal: AbortSignal;
  /** In the transaction that begins it: where it rejects, all is as it was. */
  onClaim?(tx: Tx, importId: string): Promise<void>;
  /** `rows`: those that an earlier start has done. */
  onStart?(started: { rows: number }): void;
  onProgress(progress: ImportProgress): void;
  /** Called after each save of the cursor. A rejection ends the import. */
  onSaved?(progress: ImportProgress): Promise<void>;
}

export interface ImportProgress {
  readonly bytes: number;
  readonly totalBytes: number;
  readonly events: number;
}

/** Refuses a file that another process imports into the project now. */
export async function importFile(workspaceId: string, file: FileImport, deps: ImportDeps): Promise<Cursor> {
  const { store, clock, door } = deps;
  const { projectId, path, reading } = file;
  const { source, mapping, judged } = reading;
  const { uploadId } = file;
  const { id: contentId, bytes } = await readContentId(path, source, mapping, uploadId);
  const made = { projectId, source, fileName: basename(path), fileBytes: bytes, contentId, uploadId };
  const claimed = await claimImport(workspaceId, made, { store, clock, signal: deps.signal, onClaim: deps.onClaim });
  const { begin, signal } = claimed;
  let progress: ImportProgress = { bytes: 0, totalBytes: bytes, events: begin.events };
  const save = async (cursor: Cursor, isEnd: boolean) => {
    await claimed.save(cursor, isEnd);
    await deps.onSaved?.(progress);
  };
  try {
    deps.onStart?.({ rows: begin.rows });
    const refused = await openRefusedFile(file.refusedPath, begin.refusedBytes, file.hasRefusedRoom);
    try {
      const end = await runImport({
        ...{ path, judged, begin, door, refused, signal },
        mapper: reading.makeMapper(clock.nowMs()),
        save: (cursor) => save(cursor, false),
        onProgress(done, { events }) {
          progress = { bytes: done, totalBytes: bytes, events };
          deps.onProgress(progress);
        },
      });
      await save(end, true);
      return end;
    } finally {
      await refused.close();
    }
  } catch (cause) {
    if (cause instanceof ImportError) await claimed.fail(cause.message);
    throw cause;
  } finally {
    await claimed.end();
  }
}
