/** Imports a file into a project, from where the last start of the same file was cut. */
import { basename } from "node:path";
import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { readContentId } from "./content-id.ts";
import type { Door } from "./door.ts";
import type { Mapping } from "./from/generic.ts";
import { ImportError } from "./import-error.ts";
import { type Cursor, saveImport, startImport } from "./imports-table.ts";
import { createRowMapper } from "./map-rows.ts";
import { openRefusedFile } from "./refused-file.ts";
import { runImport } from "./run-import.ts";
import { makeMapper, type SourceName } from "./sources.ts";

export interface FileImport {
  readonly projectId: string;
  readonly path: string;
  readonly source: SourceName;
  readonly mapping: Mapping;
  readonly refusedPath: string;
  /** The upload whose file it is: its refused rows are in a file of its own, so it goes on with nobody else's cursor. */
  readonly uploadId?: string;
}

export interface ImportDeps {
  readonly store: ControlStore;
  readonly clock: Clock;
  readonly door: Door;
  readonly signal: AbortSignal;
  /** `rows`: those that an earlier start has done. */
  onStart(started: { importId: string; rows: number }): void | Promise<void>;
  onProgress(progress: ImportProgress): void;
  /** Called after each save of the cursor. A rejection ends the import. */
  onSaved?(progress: ImportProgress): Promise<void>;
}

export interface ImportProgress {
  readonly bytes: number;
  readonly totalBytes: number;
  readonly events: number;
}

export async function importFile(workspaceId: string, file: FileImport, deps: ImportDeps): Promise<Cursor> {
  const { store, clock, door, signal } = deps;
  const { projectId, path, source, mapping } = file;
  const { id: contentId, bytes } = await readContentId(path, source, mapping, file.uploadId);
  const nowMs = clock.nowMs();
  const made = { projectId, source, fileName: basename(path), fileBytes: bytes, contentId };
  const { id, cursor: begin } = await store.write((tx) => startImport(tx, workspaceId, made, nowMs));
  await deps.onStart({ importId: id, rows: begin.rows });
  let progress: ImportProgress = { bytes: 0, totalBytes: bytes, events: begin.events };
  const save = async (cursor: Cursor, isEnd: boolean) => {
    if (!(await saveImport(store, id, cursor, { nowMs: clock.nowMs(), isEnd })))
      throw new ImportError("the project was deleted");
    await deps.onSaved?.(progress);
  };
  const refused = await openRefusedFile(file.refusedPath, begin.refusedBytes);
  try {
    const end = await runImport({
      ...{ path, source, begin, door, refused, signal },
      mapper: createRowMapper({ source, mapRow: makeMapper(source, mapping), nowMs }),
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
}
