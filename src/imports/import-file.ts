/** Imports a file into a project, from where the last start of the same file was cut. */
import { basename } from "node:path";
import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { claimImport } from "./claim-import.ts";
import { readContentId } from "./content-id.ts";
import type { Door } from "./door.ts";
import type { Cursor } from "./imports-table.ts";
import type { Reading } from "./reading.ts";
import { openRefusedFile } from "./refused-file.ts";
import { runImport } from "./run-import.ts";

export interface FileImport {
  readonly projectId: string;
  readonly path: string;
  readonly reading: Reading;
  readonly refusedPath: string;
}

export interface ImportDeps {
  readonly store: ControlStore;
  readonly clock: Clock;
  readonly door: Door;
  readonly signal: AbortSignal;
  /** The rows that an earlier start has done. */
  onStart(rows: number): void;
  onProgress(progress: { bytes: number; totalBytes: number; events: number }): void;
}

/** Refuses a file that another process imports into the project now. */
export async function importFile(workspaceId: string, file: FileImport, deps: ImportDeps): Promise<Cursor> {
  const { store, clock, door } = deps;
  const { projectId, path, reading } = file;
  const { source, mapping, judged } = reading;
  const { id: contentId, bytes } = await readContentId(path, source, mapping);
  const made = { projectId, source, fileName: basename(path), fileBytes: bytes, contentId };
  const claimed = await claimImport(workspaceId, made, { store, clock, signal: deps.signal });
  const { begin, signal } = claimed;
  try {
    deps.onStart(begin.rows);
    const refused = await openRefusedFile(file.refusedPath, begin.refusedBytes);
    try {
      const end = await runImport({
        ...{ path, judged, begin, door, refused, signal },
        mapper: reading.makeMapper(clock.nowMs()),
        save: (cursor) => claimed.save(cursor, false),
        onProgress: (done, { events }) => deps.onProgress({ bytes: done, totalBytes: bytes, events }),
      });
      await claimed.save(end, true);
      return end;
    } finally {
      await refused.close();
    }
  } finally {
    await claimed.end();
  }
}
