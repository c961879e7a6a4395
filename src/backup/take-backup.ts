/**
 * A backup of everything that is not derived, taken while the service runs: the event log first, then the warehouse, then the control
 * store. In this order nothing that was acknowledged before the start is missing: an event is in the copied log or, if the
 * log's reader had passed it, in the warehouse; and a project, a key or a form is made before anything refers to it.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findControlVersion } from "../control/migrate.ts";
import type { ControlStore } from "../control/store.ts";
import type { AnalyticsEngine } from "../engines/analytics.ts";
import { inspectWarehouse } from "../warehouse/migrate.ts";
import { CONTROL_TABLES, type ControlTable, readTable } from "./control-tables.ts";
import { copyLog, type LogPlaces } from "./copy-log.ts";
import { BackupError, type FileEntry, FORMAT, type Manifest, manifestPath } from "./manifest.ts";
import { createPackedFile, linesOf } from "./packed-file.ts";
import { type Progress, saveWarehouse } from "./warehouse-files.ts";

export interface BackupSources {
  places: LogPlaces;
  store: ControlStore;
  engine: Pick<AnalyticsEngine, "select" | "selectRaw" | "selectJson">;
  where: { database: string; cluster: string | undefined };
  /** A file, or why there is none in the backup. */
  secret: { file: string } | "left out" | "setting";
}

export async function takeBackup(
  sources: BackupSources,
  target: { dir: string; version: string; nowMs: number; onProgress(progress: Progress): void },
): Promise<Manifest> {
  const { dir, onProgress } = target;
  const schema = await inspectWarehouse(sources.engine, sources.where);
  await makeEmptyDir(dir);
  const files = await copyLog(sources.places, dir, onProgress);
  files.push(...(await saveWarehouse(sources.engine, sources.where.database, dir, onProgress)));
  const control = await saveControl(sources.store, dir, onProgress);
  files.push(...control.files);
  if (typeof sources.secret === "object") files.push(await saveSecret(sources.secret.file, dir));
  const manifest: Manifest = {
    format: FORMAT,
    sextant: target.version,
    createdAt: new Date(target.nowMs).toISOString(),
    control: { store: sources.store.name, schema: control.schema, rows: countRows(control.files) },
    warehouse: {
      schema,
      rows: countRows(files.filter(({ part }) => part === "warehouse")),
    },
    secret: typeof sources.secret === "object" ? "included" : sources.secret,
    files,
  };
  await writeFile(manifestPath(dir), `${JSON.stringify(manifest, null, 2)}\n`, {
    flag: "wx",
    mode: 0o600,
    flush: true,
  });
  return manifest;
}

/** A backup goes into nothing else. */
export async function makeEmptyDir(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if ((await readdir(dir)).length > 0)
    throw new BackupError(`${dir} is not empty: a backup goes into a directory of its own`);
}

/** All tables that the store's schema has, as they were at one moment. */
async function saveControl(
  store: ControlStore,
  dir: string,
  onProgress: (progress: Progress) => void,
): Promise<{ schema: number; files: FileEntry[] }> {
  await mkdir(join(dir, "control"));
  return store.snapshot(async (tx) => {
    const schema = await findControlVersion(tx);
    const there = new Set((await tx.introspection.getTables()).map(({ name }) => name));
    const tables = (Object.keys(CONTROL_TABLES) as ControlTable[]).filter((table) => there.has(table));
    const files: FileEntry[] = [];
    for (const table of tables) {
      const path = `control/${table}.jsonl.zst`;
      const file = createPackedFile(join(dir, path));
      let rows = 0;
      for await (const page of readTable(tx, table)) {
        await file.write(linesOf(page));
        rows += page.length;
      }
      files.push({ path, part: "control", table, rows, ...(await file.end()) });
      onProgress({ what: "control tables", done: files.length, total: tables.length });
    }
    return { schema, files };
  });
}

async function saveSecret(file: string, dir: string): Promise<FileEntry> {
  const secret = await readFile(file);
  await writeFile(join(dir, "secret"), secret, { flag: "wx", mode: 0o600, flush: true });
  const sha256 = createHash("sha256").update(secret).digest("hex");
  return { path: "secret", part: "secret", bytes: secret.length, sha256 };
}

function countRows(files: readonly FileEntry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { table = "", rows = 0 } of files) counts[table] = (counts[table] ?? 0) + rows;
  return counts;
}
